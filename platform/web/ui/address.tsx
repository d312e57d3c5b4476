// An email address or number: isolated, left to right, with line breaks only before its own
// punctuation.
import { Fragment } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';

interface AddressProps {
  value: string;
  className?: string | undefined;
}

export function Address({ value, className }: AddressProps) {
  return (
    <bdi dir="ltr" className={className}>
      {[...toUnicodeDomain(value).matchAll(/[@.+_-]?[^@.+_-]+|[@.+_-]/g)].map(
        ({ 0: part, index }) => (
          <Fragment key={index}>
            {index > 0 && <wbr />}
            {part}
          </Fragment>
        ),
      )}
    </bdi>
  );
}
