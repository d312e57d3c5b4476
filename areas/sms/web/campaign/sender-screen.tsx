// Adds a sender: a provider number or an alphanumeric ID.
import {
  Autocomplete,
  Button,
  Group,
  Radio,
  type RadioGroupProps,
  Stack,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { useIdempotencyKey } from '#platform/web/hooks/use-key-of.ts';
import { type SessionAccount, useSession } from '#platform/web/session/session.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { MAX_USE_CASE, NO_NAMES, PHONE_KINDS, type PhoneKind } from '../../shared.ts';
import { compliancePath } from '../paths.ts';
import { api, PHONES } from '../queries.ts';

/**
 * Returns the account's name as a sender: 2 to 11 Latin letters, digits and spaces, with at least
 * one letter; '' if it has too few.
 */
function suggestName(title: string): string {
  const name = title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9 ]/g, '')
    .trim()
    .slice(0, 11)
    .trim();
  return /^(?=.*[A-Za-z]).{2,}$/.test(name) ? name : '';
}

/**
 * Returns the suggested kind and value of the sender. In the USA and Canada, where alphanumeric
 * sender IDs are not delivered, it suggests a number, which the user must enter.
 */
function getDefaults({ title, country }: SessionAccount): { kind: PhoneKind; value: string } {
  return (NO_NAMES as readonly (string | null)[]).includes(country)
    ? { kind: 'toll_free', value: '' }
    : { kind: 'alphanumeric', value: suggestName(title) };
}

export default function SenderScreen() {
  const t = useTexts('sms');
  const { form, isBusy, submit, defaults, chooseKind } = useSenderForm();
  const { kind } = form.getValues();
  const offeredNumber = useQuery({
    ...api.query('GET /client-api/api/phone/offered'),
    enabled: kind === 'toll_free',
  });
  return (
    <Page title={t('phones.add')} back={{ to: '/settings/phone', label: t('phones.title') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={560}>
          <KindChoice {...form.getInputProps('kind')} onChange={chooseKind} />
          <Autocomplete
            label={t('phones.sender')}
            required
            dir="ltr"
            data-autofocus={defaults.value === '' || undefined}
            data={
              kind === 'toll_free' ? (offeredNumber.data?.data ?? []).map(({ value }) => value) : []
            }
            {...form.getInputProps('value')}
          />
          <TextInput
            label={t('phones.useCase')}
            description={t('phones.useCaseHint')}
            maxLength={MAX_USE_CASE}
            required
            dir="auto"
            data-autofocus={defaults.value !== '' || undefined}
            {...form.getInputProps('use_case')}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy}>
              {t('phones.add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}

function useSenderForm() {
  const t = useTexts('sms');
  const navigate = useNavigate();
  const keyOf = useIdempotencyKey();
  const { account } = useSession();
  const defaults = getDefaults(account);
  const keptForm = useKeptForm('sms-sender', {
    initialValues: { ...defaults, use_case: '' },
    validate: {
      value: (value) => (value.trim() ? null : t('fields.required')),
      use_case: (value) => (value.trim() ? null : t('fields.required')),
    },
    send: async (values) => {
      const { data } = await api('POST /client-api/api/phone', {
        body: values,
        idempotencyKey: keyOf(values),
      });
      await invalidate(PHONES);
      await navigate({ to: compliancePath(data.id) });
    },
  });
  const { form } = keptForm;
  const chooseKind = (next: PhoneKind) => {
    const { kind: last, value } = form.getValues();
    form.setFieldValue('kind', next);
    // An empty or proposed value is replaced by the proposal for the new kind.
    if (value === '' || value === suggestName(account.title)) {
      form.setFieldValue('value', next === 'alphanumeric' ? suggestName(account.title) : '');
    } else if (last !== next) form.clearFieldError('value');
  };
  return { ...keptForm, defaults, chooseKind };
}

type KindChoiceProps = Omit<RadioGroupProps, 'children' | 'label' | 'onChange'> & {
  onChange: (kind: PhoneKind) => void;
};

function KindChoice({ onChange, ...props }: KindChoiceProps) {
  const t = useTexts('sms');
  return (
    <Radio.Group
      label={t('kinds.label')}
      {...props}
      onChange={(next) => onChange(next as PhoneKind)}
    >
      <Stack gap="xs" mt="xs">
        {PHONE_KINDS.map((phoneKind) => (
          <Radio
            key={phoneKind}
            value={phoneKind}
            label={t(`kinds.${phoneKind}`)}
            description={t(`kindHints.${phoneKind}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
