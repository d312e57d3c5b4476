-- Fields that hold a day and a month without a year, as MM-DD.
alter table fields drop constraint fields_type_check;
alter table fields add constraint fields_type_check check (type in ('text', 'number', 'datetime', 'birthday'));
