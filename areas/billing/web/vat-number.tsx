// The form for the account's VAT number. A business in another EU country than the seller's is not
// charged tax if its number is valid.
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '#platform/web/api-error.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { MAX_VAT } from '../shared.ts';
import classes from './billing.module.css';
import { api, invalidateBilling } from './queries.ts';

export function VatNumber() {
  const t = useTexts('billing');
  const [value, setValue] = useState('');
  const [error, setError] = useState<string>();
  const save = useAction(
    (vat_number: string) => api('PUT /client-api/api/billing/vat', { body: { vat_number } }),
    {
      errors: 'own',
      onDone: ({ data }) => {
        setError(undefined);
        toast(t(data.is_valid ? 'vat.valid' : data.vat_number ? 'vat.notListed' : 'vat.removed'));
        void invalidateBilling();
      },
    },
  );
  return (
    <form
      className={classes.vat}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(value, {
          onError: (error) => {
            const numberError =
              error instanceof ApiError ? error.errors?.vat_number?.[0] : undefined;
            if (numberError) setError(numberError);
            else showError(error);
          },
        });
      }}
    >
      <TextInput
        label={t('vat.label')}
        description={t('vat.text')}
        dir="ltr"
        maxLength={MAX_VAT}
        value={value}
        error={error}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
      <Button type="submit" variant="default" loading={save.isPending}>
        {t('vat.save')}
      </Button>
    </form>
  );
}
