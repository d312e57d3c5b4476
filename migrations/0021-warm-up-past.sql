-- What left on each day of a warm-up that is over, day 1 first; plans begun before this know less.
alter table warm_ups add column past integer[] not null default '{}';
