// The editor of segment conditions, with a list of conditions as its value.
import { Suspense, useState } from 'react';
import { parseFilter, writeFilter } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/shared.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { FilterBuilder } from '../../../segments/web/index.ts';

export type Conditions = readonly object[];

export function ConditionsField({
  value,
  onChange,
}: {
  value: Conditions | undefined;
  onChange: (conditions: Condition[]) => void;
}) {
  const [text, setText] = useState(() => writeFilter((value ?? []) as Condition[]));
  return (
    <Suspense fallback={<LoadingState rows={3} />}>
      <FilterBuilder
        value={text}
        onChange={(next) => {
          setText(next);
          onChange(parseFilter(next).conditions);
        }}
      />
    </Suspense>
  );
}
