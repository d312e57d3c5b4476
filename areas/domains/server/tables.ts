// The tables of this area; only this area writes them.

export const TABLES = ['domains', 'domain_keys', 'mail_hosts'] as const;
