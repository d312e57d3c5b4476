// The tables that only this area writes.

export const TABLES = ['agent_use', 'agent_acts', 'agent_grants', 'oauth_state'] as const;

export const READABLE = {} as const;
