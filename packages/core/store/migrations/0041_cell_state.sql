ALTER TABLE "cells" ADD COLUMN "state" text DEFAULT 'open' NOT NULL;--> statement-breakpoint
ALTER TABLE "cells" ADD CONSTRAINT "cells_state" CHECK ("cells"."state" in ('open', 'draining', 'removed'));--> statement-breakpoint
ALTER TABLE "cells" ADD CONSTRAINT "cells_main_stays" CHECK ("cells"."cell_id" <> 'main' or "cells"."state" = 'open');