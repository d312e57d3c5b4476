-- An SMS number has one owner in the installation: without a proof it neither sends nor receives.
alter table phones add column proof text;
alter table phones add constraint phones_proof_check
  check (proof in ('built_in', 'provider', 'operator', 'earlier'));
alter table phones add column proven_at timestamptz;

-- One row per number that has an owner: replicated to every node, so that its key holds across all accounts.
create table phone_owners (
  value_key text collate "C" primary key,
  account_id bigint not null,
  phone_id bigint not null
);
select sendloom_reference('phone_owners');

-- Numbers of before: whoever has one alone, or is the only one with a provider of their own, keeps it. Numbers that
-- several accounts typed wait for the operator's decision.
update phones p set proof = v.proof, proven_at = p.created_at
from (
  with holders as (
    select p.account_id, p.id, p.value_key, p.kind, p.status,
      exists (select 1 from sms_providers s where s.account_id = p.account_id and s.is_on) as has_provider
    from phones p where p.status <> 'released'
  ), counted as (
    select value_key, count(*) as holders, count(*) filter (where has_provider) as with_provider
    from holders group by value_key
  ), proven as (
    select h.account_id, h.id, case when h.has_provider then 'provider' else 'earlier' end as proof
    from holders h join counted c on c.value_key = h.value_key
    where h.has_provider and c.with_provider = 1
      or c.holders = 1 and h.status = 'active'
      or h.kind = 'alphanumeric' and h.status = 'active'
  )
  select account_id, id, proof from proven
) v where p.account_id = v.account_id and p.id = v.id;

insert into phone_owners (value_key, account_id, phone_id)
select value_key, account_id, id from phones
where proof is not null and kind <> 'alphanumeric' and status <> 'released';

update phones set status = 'draft' where status = 'active' and proof is null;

-- The operator's list.
create index phones_unproven on phones (value_key) where proof is null and status <> 'released';
