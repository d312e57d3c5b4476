// The quick filters read and write the filter of the address without touching what else stands there.
import { describe, expect, it } from 'vitest';
import { readQuickFilter, writeQuickFilter } from './quick-filter.ts';

const OTHER = 'firstname,begins,A,1,and,and,';

describe('quick filters', () => {
  it('find their own conditions and keep the others', () => {
    const text = `email_status,is,active,1,and,and,__next__${OTHER}__next__tag,have,abcdef,1,and,and,`;
    const read = readQuickFilter(text);
    expect(read).toMatchObject({ status: 'active', group: 'abcdef' });
    expect(read.others).toHaveLength(1);
    expect(writeQuickFilter({ ...read, status: null })).toBe(
      `tag,have,abcdef,1,and,and,__next__${OTHER}`,
    );
    expect(writeQuickFilter({ status: null, group: null, others: [] })).toBe('');
  });

  it('leave alone what is joined by or, or is more than one value', () => {
    const either = `email_status,is,active,1,and,and,__next__tag,have,abcdef,1,and,or,`;
    expect(readQuickFilter(either)).toMatchObject({ status: null, group: null });
    expect(readQuickFilter(either).others).toHaveLength(2);
    expect(readQuickFilter('tag,have,abcdef,1,and,and,,ghijkl').group).toBeNull();
  });
});
