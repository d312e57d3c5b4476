-- Dates are written as each reader's language writes them, unless an account settles on one form.
alter table accounts alter column date_format set default 'auto';
update accounts set date_format = 'auto' where date_format = 'YYYY-MM-DD';
