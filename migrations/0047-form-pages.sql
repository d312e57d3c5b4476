-- Where forms were shown, by day (UTC): a page's address without what stands behind its question mark.
create table form_pages (
  account_id bigint not null,
  form_id bigint not null,
  day date not null,
  page text collate "C" not null,
  views bigint not null default 0,
  starts bigint not null default 0,
  closes bigint not null default 0,
  primary key (account_id, form_id, day, page),
  foreign key (account_id, form_id) references forms (account_id, id) on delete cascade
);
select sendloom_distribute('form_pages');

-- The mail of double opt-in as its author wrote it in the editor; none: the product's own.
alter table forms
  add column mail_content_id bigint,
  add column mail_content_revision integer,
  add column mail_content_kind text,
  add column mail_revision integer not null default 1;
alter table forms add foreign key (account_id, mail_content_id) references contents (account_id, id);
