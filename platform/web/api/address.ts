// Typed search parameters of the page's URL with defaults: filters, sort order, page and tab.
// `const address = { page: int(1), status: parseOneOf(['all', 'DRAFT'], 'all') }` beside the
// screen, `const [values, setValues] = useSearchParams(address)` inside it. Invalid values read as
// the default.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';

export interface Parameter<Value> {
  read: (raw: string | undefined) => Value;
  /** Undefined values are left out of the URL. */
  write: (value: Value) => string | undefined;
}

export type SearchParamsOf<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends Parameter<infer Value> ? Value : never;
};

export type Shape = {
  [name: string]:
    | Parameter<never>
    | Parameter<string>
    | Parameter<number>
    | Parameter<boolean>
    | Parameter<string[]>;
};

export function int(fallback: number): Parameter<number> {
  return {
    read: (raw) => (raw && /^\d{1,9}$/.test(raw) ? Number(raw) : fallback),
    write: (value) => (value === fallback ? undefined : String(value)),
  };
}

export function text(fallback = ''): Parameter<string> {
  return {
    read: (raw) => raw ?? fallback,
    write: (value) => (value === fallback ? undefined : value),
  };
}

export function parseOneOf<const Value extends string>(
  values: readonly Value[],
  fallback: NoInfer<Value>,
): Parameter<Value> {
  return {
    read: (raw) => values.find((value) => value === raw) ?? fallback,
    write: (value) => (value === fallback ? undefined : value),
  };
}

export function flag(): Parameter<boolean> {
  return { read: (raw) => raw === '1', write: (value) => (value ? '1' : undefined) };
}

export type SetSearchParams<Shape> = (
  change: Partial<SearchParamsOf<Shape>>,
  options?: { replace?: boolean },
) => void;

export function useSearchParams<Shape extends object>(
  shape: Shape,
): [SearchParamsOf<Shape>, SetSearchParams<Shape>] {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const values = useMemo(() => readSearchParams(shape, search), [shape, search]);
  const setParams = useCallback<SetSearchParams<Shape>>(
    (change, options) => {
      const newParams = writeSearchParams(shape, change);
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, ...newParams }),
        replace: options?.replace ?? false,
        resetScroll: false,
      });
    },
    [shape, navigate],
  );
  return [values, setParams];
}

export function readSearchParams<Shape extends object>(
  shape: Shape,
  search: Record<string, string | undefined>,
): SearchParamsOf<Shape> {
  const parameters = Object.entries(shape) as [string, Parameter<unknown>][];
  return Object.fromEntries(
    parameters.map(([name, parameter]) => [name, parameter.read(search[name])]),
  ) as SearchParamsOf<Shape>;
}

export function writeSearchParams<Shape extends object>(
  shape: Shape,
  values: Partial<SearchParamsOf<Shape>>,
): Record<string, string | undefined> {
  const parameters = shape as Record<string, Parameter<unknown>>;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, parameters[name]?.write(value)]),
  );
}

/** Parses plain `a=b&c=d` without JSON; the last value of a repeated name is used. */
export function parseSearch(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') pairs.append(name, String(value));
  }
  const query = pairs.toString();
  return query === '' ? '' : `?${query}`;
}
