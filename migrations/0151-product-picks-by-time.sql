-- What copies showed long ago is forgotten by its time.
create index product_picks_by_at on product_picks (at);
