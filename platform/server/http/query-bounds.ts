// How many parameters a query may hold, counted before it is validated: each costs validation time, whatever its name.
import { invalid } from '../errors.ts';
import { fieldIssue } from './field-errors.ts';

/** The largest call of the product, a deletion of 100 campaigns by their ids, has half as many. */
const MAX_QUERY_PARAMETERS = 200;

/** @throws AppError invalid where the address has more parameters; repeated and bracketed names count each time */
export function checkQueryBounds(url: string): void {
  const start = url.indexOf('?');
  if (start < 0) return;
  let parameters = 1;
  for (let at = url.indexOf('&', start); at >= 0; at = url.indexOf('&', at + 1)) parameters += 1;
  if (parameters > MAX_QUERY_PARAMETERS)
    throw invalid({ query: [fieldIssue('errors.fields.many', { max: MAX_QUERY_PARAMETERS })] });
}
