-- Topics whose webhooks a shop's platform refused to register, each with its reason, for the store's card.
alter table stores add column refused_hooks text[] not null default '{}';
