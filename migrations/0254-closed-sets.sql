-- contract: earlier versions write the same values; only values of neither version are refused
-- Not validated here: adding a constraint locks its table, and a scan would prolong the lock.
alter table product_picks add constraint product_picks_kind_check
  check (kind in ('cart', 'viewed', 'ordered', 'recommended', 'cart_link')) not valid;
alter table workflow_listeners add constraint workflow_listeners_kind_check
  check (kind in ('LIST_ADD', 'LIST_REMOVE', 'FORM_SUBMIT', 'SEGMENT_ENTER', 'DATE', 'ANNIVERSARY',
    'LINK_CLICK', 'EVENT', 'CART_ABANDONED', 'ORDER_PLACED', 'PRODUCT_PURCHASED', 'ORDER_FULFILLED',
    'ORDER_REFUNDED', 'PRODUCT_VIEWED', 'FIELD_UPDATE', 'UNSUBSCRIBE', 'API', 'TOUCH',
    'CART_CLOSED')) not valid;
alter table workflow_inbox add constraint workflow_inbox_kind_check
  check (kind in ('LIST_ADD', 'LIST_REMOVE', 'FORM_SUBMIT', 'SEGMENT_ENTER', 'DATE', 'ANNIVERSARY',
    'LINK_CLICK', 'EVENT', 'CART_ABANDONED', 'ORDER_PLACED', 'PRODUCT_PURCHASED', 'ORDER_FULFILLED',
    'ORDER_REFUNDED', 'PRODUCT_VIEWED', 'FIELD_UPDATE', 'UNSUBSCRIBE', 'API', 'TOUCH',
    'CART_CLOSED')) not valid;
alter table webhook_deliveries add constraint webhook_deliveries_topic_check
  check (topic is not null) not valid;
-- No version wrote the column.
alter table imports drop column source;
