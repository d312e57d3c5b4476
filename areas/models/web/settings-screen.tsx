// The model of the account: protocol, address, key, and a bound for its tokens. Off without one.
import {
  Button,
  Group,
  NativeSelect,
  NumberInput,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAct } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ModelSettings } from '../contract.ts';
import { PROTOCOLS, USUAL_ADDRESSES } from '../shared.ts';
import classes from './models.module.css';
import { api, ASSISTANCE, useModel } from './queries.ts';

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

function valuesOf({ protocol, address, model, monthly_tokens }: ModelSettings) {
  return {
    protocol: protocol ?? PROTOCOLS[0],
    address: address ?? USUAL_ADDRESSES[protocol ?? PROTOCOLS[0]],
    model: model ?? '',
    monthly_tokens,
  };
}

type Values = ReturnType<typeof valuesOf>;

function ModelForm({ saved }: { saved: ModelSettings }) {
  const t = useTexts('models');
  const [values, setValues] = useState(valuesOf(saved));
  const [key, setKey] = useState('');
  const set = (change: Partial<Values>) => setValues({ ...values, ...change });
  const save = useAct(
    () =>
      api('PUT /client-api/api/assistance', {
        body: { ...values, ...(key !== '' && { key }) },
      }),
    {
      touches: [ASSISTANCE],
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
        <ModelFields saved={saved} values={values} set={set} secret={key} setSecret={setKey} />
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
  values: Values;
  set: (change: Partial<Values>) => void;
  secret: string;
  setSecret: (secret: string) => void;
}

function ModelFields({ saved, values, set, secret, setSecret }: ModelFieldsProps) {
  const t = useTexts('models');
  const { number } = useFormats();
  return (
    <>
      <NativeSelect
        label={t('protocol')}
        value={values.protocol}
        data={PROTOCOLS.map((value) => ({ value, label: t(`protocols.${value}`) }))}
        onChange={(event) => {
          const protocol = PROTOCOLS.find((value) => value === event.currentTarget.value);
          if (protocol) set({ protocol, address: USUAL_ADDRESSES[protocol] });
        }}
      />
      <TextInput
        label={t('address')}
        description={t('addressHint')}
        dir="ltr"
        required
        value={values.address}
        onChange={(event) => set({ address: event.currentTarget.value })}
      />
      <TextInput
        label={t('model')}
        dir="ltr"
        required
        value={values.model}
        onChange={(event) => set({ model: event.currentTarget.value })}
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
        description={t('used', { used: number(saved.used_tokens) })}
        min={1000}
        step={100_000}
        thousandSeparator=" "
        value={values.monthly_tokens ?? ''}
        onChange={(value) => set({ monthly_tokens: value === '' ? null : Number(value) })}
      />
    </>
  );
}

function SavedActions() {
  const t = useTexts('models');
  const [answer, setAnswer] = useState<string>();
  const test = useAct(() => api('POST /client-api/api/assistance/test', { body: {} }), {
    touches: [ASSISTANCE],
    onDone: ({ data }) => setAnswer(t('tested', { answer: data.answer, ms: data.milliseconds })),
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
