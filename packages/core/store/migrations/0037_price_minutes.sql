CREATE TABLE "price_minutes" (
	"minute" timestamp (3) with time zone NOT NULL,
	"least_ten_thousandths" bigint NOT NULL,
	"most_ten_thousandths" bigint NOT NULL,
	"last_ten_thousandths" bigint NOT NULL,
	CONSTRAINT "price_minutes_pk" PRIMARY KEY("minute"),
	CONSTRAINT "price_minutes_order" CHECK (0 < "price_minutes"."least_ten_thousandths" and "price_minutes"."least_ten_thousandths" <= "price_minutes"."last_ten_thousandths"
      and "price_minutes"."last_ten_thousandths" <= "price_minutes"."most_ten_thousandths")
);
