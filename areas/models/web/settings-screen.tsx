// The model of the account: protocol, address, key, prices, and a limit on tokens. Without a model,
// assistance is off.
import {
  Button,
  Group,
  Input,
  NativeSelect,
  NumberInput,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ModelSettings } from '../contract.ts';
import { CURRENCIES, PROTOCOLS, USUAL_ADDRESSES } from '../shared.ts';
import classes from './models.module.css';
import { api, ASSISTANCE, useModel } from './queries.ts';

const [USUAL_CURRENCY] = CURRENCIES;

export default function AssistanceScreen() {
  const t = useTexts('models');
  const model = useModel();
  const { data } = model;
  return (
    <Page title={t('title')} description={t('description')} width="reading">
      {model.isLoadingError && (
        <FailedState error={model.error} retry={() => void model.refetch()} />
      )}
      {!data && !model.isLoadingError && <LoadingState rows={5} />}
      {data && <ModelForm key={String(data.data.is_on)} saved={data.data} />}
    </Page>
  );
}

function toFormValues({ protocol, address, model, monthly_tokens, prices }: ModelSettings) {
  return {
    protocol: protocol ?? PROTOCOLS[0],
    address: address ?? USUAL_ADDRESSES[protocol ?? PROTOCOLS[0]],
    model: model ?? '',
    monthly_tokens,
    input: prices?.input ?? null,
    output: prices?.output ?? null,
    currency: prices?.currency ?? USUAL_CURRENCY,
  };
}

type ModelFormValues = ReturnType<typeof toFormValues>;

/**
 * Creates the request body. If only one price is given, the other is sent as 0; if neither is
 * given, no prices are sent.
 */
function toBody({ input, output, currency, ...values }: ModelFormValues) {
  const hasPrices = input !== null || output !== null;
  return {
    ...values,
    prices: hasPrices ? { input: input ?? 0, output: output ?? 0, currency } : null,
  };
}

function ModelForm({ saved }: { saved: ModelSettings }) {
  const t = useTexts('models');
  const [values, setValues] = useState(toFormValues(saved));
  const [key, setKey] = useState('');
  const updateValues = (change: Partial<ModelFormValues>) => setValues({ ...values, ...change });
  const save = useAction(
    () =>
      api('PUT /client-api/api/assistance', {
        body: { ...toBody(values), ...(key !== '' && { key }) },
      }),
    {
      invalidates: [ASSISTANCE],
      onDone: () => {
        setKey('');
        toast(t('saved'));
      },
    },
  );
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      <Stack gap="md">
        <StatusDot
          tone={saved.is_on ? 'success' : 'neutral'}
          label={saved.is_on ? t('on') : t('off')}
        />
        <ModelFields
          saved={saved}
          values={values}
          set={updateValues}
          secret={key}
          setSecret={setKey}
        />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {t('save')}
          </Button>
          {saved.is_on && <SavedActions />}
        </Group>
      </Stack>
    </form>
  );
}

interface ModelFieldsProps {
  saved: ModelSettings;
  values: ModelFormValues;
  set: (change: Partial<ModelFormValues>) => void;
  secret: string;
  setSecret: (secret: string) => void;
}

function ModelFields({ saved, values, set: updateValues, secret, setSecret }: ModelFieldsProps) {
  const t = useTexts('models');
  const { number, money } = useFormats();
  const usedTokens = number(saved.used_tokens);
  return (
    <>
      <NativeSelect
        label={t('protocol')}
        value={values.protocol}
        data={PROTOCOLS.map((value) => ({ value, label: t(`protocols.${value}`) }))}
        onChange={(event) => {
          const protocol = PROTOCOLS.find((value) => value === event.currentTarget.value);
          if (protocol) updateValues({ protocol, address: USUAL_ADDRESSES[protocol] });
        }}
      />
      <TextInput
        label={t('address')}
        description={t('addressHint')}
        dir="ltr"
        required
        value={values.address}
        onChange={(event) => updateValues({ address: event.currentTarget.value })}
      />
      <TextInput
        label={t('model')}
        dir="ltr"
        required
        value={values.model}
        onChange={(event) => updateValues({ model: event.currentTarget.value })}
      />
      <PasswordInput
        label={t('key')}
        description={saved.has_key ? t('keyStored') : t('keyHint')}
        autoComplete="off"
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
      <NumberInput
        label={t('bound')}
        description={
          saved.cost
            ? t('usedAtCost', {
                used: usedTokens,
                cost: money(saved.cost.amount, saved.cost.currency),
              })
            : t('used', { used: usedTokens })
        }
        min={1000}
        step={100_000}
        thousandSeparator=" "
        value={values.monthly_tokens ?? ''}
        onChange={(value) => updateValues({ monthly_tokens: value === '' ? null : Number(value) })}
      />
      <PriceFields values={values} set={updateValues} />
    </>
  );
}

function PriceFields({ values, set: updateValues }: Pick<ModelFieldsProps, 'values' | 'set'>) {
  const t = useTexts('models');
  const price = (name: 'input' | 'output') => (
    <NumberInput
      label={t(`prices.${name}`)}
      min={0}
      max={1_000_000}
      decimalScale={6}
      value={values[name] ?? ''}
      onChange={(value) => updateValues({ [name]: value === '' ? null : Number(value) })}
    />
  );
  return (
    <Input.Wrapper label={t('prices.title')} description={t('prices.hint')}>
      <Group mt="xs" grow align="flex-end">
        {price('input')}
        {price('output')}
        <NativeSelect
          label={t('prices.currency')}
          value={values.currency}
          data={[...new Set([...CURRENCIES, values.currency])]}
          onChange={(event) => updateValues({ currency: event.currentTarget.value })}
        />
      </Group>
    </Input.Wrapper>
  );
}

function SavedActions() {
  const t = useTexts('models');
  const [answer, setResponse] = useState<string>();
  const test = useAction(() => api('POST /client-api/api/assistance/test', { body: {} }), {
    invalidates: [ASSISTANCE],
    onDone: ({ data }) => setResponse(t('tested', { answer: data.answer, ms: data.milliseconds })),
  });
  const remove = async () => {
    const isDone = await confirm({
      title: t('removeTitle'),
      message: t('removeText'),
      confirm: t('remove'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/assistance'),
    });
    if (isDone) await invalidate(ASSISTANCE);
  };
  return (
    <>
      <Button variant="default" onClick={() => test.mutate(undefined)} loading={test.isPending}>
        {t('test')}
      </Button>
      <Button variant="default" onClick={() => void remove()}>
        {t('remove')}
      </Button>
      {answer && <Text size="sm">{answer}</Text>}
    </>
  );
}
