-- What is staged for an import is not logged, for speed; on a cluster it has to be, or no account could be moved to
-- another node while the product runs.
do $$
begin
  if exists (select 1 from pg_extension where extname = 'citus') then
    perform run_command_on_shards('staged_people', 'alter table %s set logged');
    perform set_config('citus.enable_ddl_propagation', 'off', true);
    alter table staged_people set logged;
    perform set_config('citus.enable_ddl_propagation', 'on', true);
  end if;
end $$;
