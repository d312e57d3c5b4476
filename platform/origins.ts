// The origin of an event, which determines whether the event triggers workflows.

/**
 * `person`: the subscriber (a preference page, an unsubscribe link). `form`, `api`, `store`:
 * reports of subscribers' actions. `import`: a file that its owner allowed to start workflows.
 * `bulk`: manual changes by the account's users, single or many, and imports without that choice.
 * `undo`: an undo. `workflow`: a step of a workflow.
 */
export type Origin = 'person' | 'form' | 'api' | 'import' | 'bulk' | 'undo' | 'workflow' | 'store';

/**
 * `depth`: number of workflows in the chain that led to an event, 0 for none; it stops workflows
 * that trigger each other.
 */
export type Cause = { origin: Origin; depth?: number | undefined };

/** Manual changes, undos, and imports without permission to start workflows start none. */
export const startsWorkflows = (origin: Origin): boolean => origin !== 'bulk' && origin !== 'undo';
