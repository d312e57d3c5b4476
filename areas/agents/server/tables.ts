// Tables of this area, written by it alone.

export const TABLES = ['agent_use', 'agent_acts'] as const;

export const READABLE = {} as const;
