-- Topics of webhooks: requests for approval, comments and acts of the audit log.
alter table webhook_endpoints drop constraint webhook_endpoints_topic_check;
alter table webhook_endpoints add constraint webhook_endpoints_topic_check
  check (topic in ('subscribers/new', 'subscribers/updated', 'subscribers/unsubscribed', 'groups/new',
    'groups/new-subscriber', 'groups/unsubscribed', 'campaigns/new', 'campaigns/sent',
    'experiments/decided', 'deliverability/changed', 'bounces/new', 'emails/delivered',
    'emails/opened', 'emails/clicked', 'emails/bounced', 'emails/complained', 'sms/delivered',
    'sms/replied', 'forms/submitted', 'workflows/finished', 'events/new', 'approvals/new',
    'approvals/decided', 'comments/new', 'audit/new'));
