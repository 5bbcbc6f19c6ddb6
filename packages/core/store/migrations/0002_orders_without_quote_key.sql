ALTER TABLE "orders" DROP CONSTRAINT "orders_quote_fk";
