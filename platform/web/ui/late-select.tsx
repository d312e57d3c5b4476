// Select fields above the rows of a list. The code of their dropdowns loads after the rows, or
// earlier on a click or focus. Until then, a field with the same appearance is shown.
import { ComboboxChevron, type ComboboxItem, type SelectProps, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { lazyModuleWithRetry } from '../shell/lazy-with-retry.ts';

const useSelects = lazyModuleWithRetry(() => import('./selects.ts'));

interface LateSelectProps
  extends Pick<SelectProps, 'aria-label' | 'placeholder' | 'clearable' | 'clearButtonProps'> {
  className: string;
  value: string | null;
  onChange: (value: string | null) => void;
  data: ComboboxItem[];
  isSearchable?: boolean;
}

export function LateSelect({ isSearchable = false, ...props }: LateSelectProps) {
  const [selects, request] = useSelects();
  const field = useRef<HTMLInputElement>(null);
  const [isClicked, setClicked] = useState(false);
  if (!selects) {
    const { value, data, className, placeholder } = props;
    return (
      <TextInput
        ref={field}
        className={className}
        role="combobox"
        aria-label={props['aria-label']}
        aria-haspopup="listbox"
        aria-expanded={false}
        placeholder={placeholder}
        value={data.find((item) => item.value === value)?.label ?? ''}
        readOnly
        pointer={!isSearchable}
        rightSection={<ComboboxChevron />}
        rightSectionPointerEvents="none"
        onFocus={request}
        onClick={() => {
          setClicked(true);
          request();
        }}
      />
    );
  }
  const Select = isSearchable ? selects.SearchableSelect : selects.Select;
  // The focus moves to the field that replaces the focused one.
  const isFocused = field.current !== null && field.current === document.activeElement;
  return <Select {...props} autoFocus={isFocused} defaultDropdownOpened={isFocused && isClicked} />;
}
