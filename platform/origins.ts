// The origin of a fact, which decides whether the fact triggers workflows.

/**
 * `person`: the subscriber (a preference page, an unsubscribe link). `form`, `api`, `store`:
 * reports of subscribers' actions. `import`: a file whose owner chose to start workflows. `bulk`:
 * manual changes by the account's users, single or many, and imports without that choice. `undo`:
 * an undo. `workflow`: a step of a workflow.
 */
export type Origin = 'person' | 'form' | 'api' | 'import' | 'bulk' | 'undo' | 'workflow' | 'store';

/**
 * `depth`: number of workflows in the chain behind a fact, 0 for none; it stops workflows that
 * trigger each other.
 */
export type Cause = { origin: Origin; depth?: number | undefined };

/** Manual changes, undos, and imports whose owner did not choose to start workflows start none. */
export const startsWorkflows = (origin: Origin): boolean => origin !== 'bulk' && origin !== 'undo';
