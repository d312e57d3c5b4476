-- Variables of a template with sample values, as its author set them: [{name, sample}].
alter table transactional_emails add column variables jsonb not null default '[]';
