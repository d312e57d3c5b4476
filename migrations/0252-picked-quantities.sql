-- How many of each product were in the cart or the order when the copy was sent; null: one of each.
alter table product_picks add column quantities integer[];
