// Who or what made a fact true: told with it, so that workflows know which facts start them.

/**
 * `person`: the subscriber themself (a preference page, an unsubscribe link). `form`, `api`, `store`: what reports on
 * people's acts. `import`: a file whose owner said that it starts workflows. `bulk`: the account's own people by hand,
 * one or many, and an import without that word. `undo`: a way back. `workflow`: a step of one.
 */
export type Origin = 'person' | 'form' | 'api' | 'import' | 'bulk' | 'undo' | 'workflow' | 'store';

/** `depth`: how many workflows stand behind a fact, 0 for none: those that feed each other come to an end. */
export type Cause = { origin: Origin; depth?: number | undefined };

/** What owners do by hand, and take back, is quiet. */
export const startsWorkflows = (origin: Origin): boolean => origin !== 'bulk' && origin !== 'undo';
