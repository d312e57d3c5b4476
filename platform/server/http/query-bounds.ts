// Limits the number of query parameters before validation, because each takes validation time,
// regardless of its name.
import { invalid } from '../errors.ts';
import { formatFieldIssue } from './field-errors.ts';

/** Twice the parameters of the product's largest query, which deletes 100 campaigns by id. */
const MAX_QUERY_PARAMETERS = 200;

/**
 * Counts every parameter, also those with a repeated or bracketed name.
 * @throws AppError invalid if the address has more than `MAX_QUERY_PARAMETERS` parameters
 */
export function checkQueryBounds(url: string): void {
  const start = url.indexOf('?');
  if (start < 0) return;
  let parameters = 1;
  for (let at = url.indexOf('&', start); at >= 0; at = url.indexOf('&', at + 1)) parameters += 1;
  if (parameters > MAX_QUERY_PARAMETERS)
    throw invalid({
      query: [formatFieldIssue('errors.fields.many', { max: MAX_QUERY_PARAMETERS })],
    });
}
