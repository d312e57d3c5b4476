-- A change of a segment names the revision it was made on: of two people who write one, the last to save
-- overwrote the other without a word.
alter table segments add column revision int not null default 1;
