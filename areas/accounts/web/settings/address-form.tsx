// The postal address that every marketing email contains.
import { toast } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Account } from '../../contract.ts';
import { AddressFields } from '../address/address-fields.tsx';
import { toAddressValues, createAddressRules } from '../address/address-values.ts';
import { saveAddress } from '../address/save-address.ts';
import { invalidateSession } from './queries.ts';
import { SectionForm } from './section.tsx';
import { useSavedForm } from './use-kept-form.ts';

export default function AddressForm({ account }: { account: Account }) {
  const t = useTexts('accounts');
  const { form, isBusy, submit } = useSavedForm('address', {
    initialValues: toAddressValues(account),
    validate: createAddressRules(t),
    send: async (values) => {
      await saveAddress(values);
      toast(t('settings.saved'));
      await invalidateSession();
    },
  });
  return (
    <SectionForm onSubmit={submit} isBusy={isBusy} isChanged={form.isDirty()}>
      <AddressFields form={form} />
    </SectionForm>
  );
}
