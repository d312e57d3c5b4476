// The select components, which late-select.tsx loads together.
export { Select } from '@mantine/core';
export { SearchableSelect } from './searchable-select.tsx';
