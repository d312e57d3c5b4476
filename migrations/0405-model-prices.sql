-- What the account's model costs per million tokens, as an administrator enters it; null: unknown.
alter table models add column price_in numeric(14, 6);
alter table models add column price_out numeric(14, 6);
alter table models add column currency text;
alter table models add constraint models_prices_check
  check (num_nonnulls(price_in, price_out, currency) in (0, 3));

-- The cost of a month, in the currency of its last prices.
alter table model_use add column cost numeric(20, 8) not null default 0;
alter table model_use add column currency text;
