// The website field, which adds https:// to a host without a protocol when the field loses focus or
// Enter is pressed.
import { TextInput, type TextInputProps } from '@mantine/core';
import type { FormHandle } from '#platform/web/forms.ts';
import { MAX_URL } from '../shared.ts';
import { withProtocol } from '../validation.ts';

export interface WebsiteFieldProps<Values extends { website: string } & Record<string, unknown>>
  extends Omit<TextInputProps, 'form'> {
  form: FormHandle<Values>;
}

export function WebsiteField<Values extends { website: string } & Record<string, unknown>>(
  props: WebsiteFieldProps<Values>,
) {
  const { form, ...rest } = props;
  const field = form.getInputProps('website');
  const complete = () => {
    const website = form.getValues().website;
    const withScheme = withProtocol(website);
    if (withScheme !== website) field.onChange(withScheme);
  };
  return (
    <TextInput
      type="url"
      dir="ltr"
      placeholder="https://example.com"
      autoComplete="url"
      maxLength={MAX_URL}
      {...rest}
      {...field}
      onBlur={(event) => {
        complete();
        field.onBlur(event);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') complete();
      }}
    />
  );
}
