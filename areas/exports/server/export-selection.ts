// Selection of an export: listed subscribers, or all that match conditions and a search. Invalid
// conditions are refused because dropping them would select more subscribers.
import { parseFilter, readConditions } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/shared.ts';
import { compileConditions, readContext } from '#areas/segments/server/index.ts';
import {
  combinePredicates,
  hasOneOfIds,
  searchCondition,
  existedAt,
} from '#areas/subscribers/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';

/** The selection as stored with an export (exports.settings). */
export type ExportChoice = {
  ids?: number[] | undefined;
  conditions: unknown[];
  search?: string | undefined;
  /** Subscribers added after this instant are not part of the selection. */
  asOf: string;
};

export type ExportSelection = {
  subscribers?: number[] | undefined;
  conditions?: string | unknown[] | undefined;
  search?: string | undefined;
  all?: true | undefined;
};

const malformedError = () =>
  new AppError('conditions_malformed', {
    errors: { conditions: ['exports:errors.conditions_malformed'] },
  });

/**
 * Validates a selection, to be stored with the export. @throws 422 for an empty selection or a
 * malformed condition
 */
export function validateSelection(selection: ExportSelection, asOf: Date): ExportChoice {
  const at = asOf.toISOString();
  if (selection.subscribers) return { ids: selection.subscribers, conditions: [], asOf: at };
  const { conditions: filter = '' } = selection;
  const parsedFilter = typeof filter === 'string' ? parseFilter(filter) : readConditions(filter);
  if (parsedFilter.droppedCount > 0) throw malformedError();
  const search = selection.search?.trim() || undefined;
  if (parsedFilter.conditions.length === 0 && search === undefined && !selection.all)
    throw new AppError('no_subscribers_selected');
  return { conditions: parsedFilter.conditions, search, asOf: at };
}

/**
 * Compiles the selection to a condition on a row `s` of subscribers. The condition is the same for
 * each part of the export and after a restart. @throws `conditions_malformed`
 */
export async function compileChoice(db: Reader, accountId: number, choice: ExportChoice) {
  if (choice.ids !== undefined) return hasOneOfIds(choice.ids);
  const asOf = new Date(choice.asOf);
  const conditions = choice.conditions as Condition[];
  const context = await readContext(db, accountId, conditions, asOf);
  const { where, unsupported } = compileConditions(conditions, context);
  if (unsupported.length > 0) throw malformedError();
  return combinePredicates(
    existedAt(asOf),
    combinePredicates(where, searchCondition(choice.search)),
  );
}
