-- On clusters that were installed empty, the parts of this table stayed unlogged, so no account could be moved to
-- another node: when the command for them ran, they were not visible outside of the transaction that created them.
-- The table has rows only within the transaction of an import's batch.
do $$
begin
  if exists (select 1 from pg_extension where extname = 'citus') then
    alter table staged_people rename to staged_people_before;
    alter index staged_people_pkey rename to staged_people_before_pkey;
    create table staged_people (like staged_people_before including all);
    drop table staged_people_before;
    perform sendloom_distribute('staged_people');
  end if;
end $$;
