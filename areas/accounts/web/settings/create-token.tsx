// Creates an API token and shows it the only time it can be seen.
import { Alert, Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { MAX_TITLE, TOKEN_VALIDITIES } from '../../shared.ts';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { api, TOKENS } from './queries.ts';
import classes from './settings.module.css';

const FOREVER = 'forever';

export default function CreateToken({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const t = useTexts('accounts');
  return (
    <Dialog
      opened={useOpened(isOpen)}
      onClose={close}
      title={t('tokens.create')}
      // A stray click outside the dialog must not lose the token.
      closeOnClickOutside={false}
    >
      {isOpen && <Steps close={close} />}
    </Dialog>
  );
}

function Steps({ close }: { close: () => void }) {
  const [token, setToken] = useState<string>();
  return token === undefined ? (
    <TokenForm close={close} onMade={setToken} />
  ) : (
    <Made token={token} close={close} />
  );
}

function TokenForm({ close, onMade }: { close: () => void; onMade: (token: string) => void }) {
  const t = useTexts('accounts');
  const { form, isBusy, submit, discard } = useKeptForm('token:new', {
    initialValues: { title: '', validity: FOREVER },
    wireNames: { validity_days: 'validity' },
    validate: { title: (title) => (title.trim() ? null : t('tokens.titleRequired')) },
    send: async ({ title, validity }) => {
      const validity_days = TOKEN_VALIDITIES.find((days) => String(days) === validity) ?? null;
      const body = { title: title.trim(), validity_days };
      const { data } = await api('POST /client-api/api/tokens', { body });
      onMade(data.token);
      await invalidate(TOKENS);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('tokens.columns.title')}
          description={t('tokens.titleHint')}
          autoComplete="off"
          maxLength={MAX_TITLE}
          data-autofocus
          {...form.getInputProps('title')}
        />
        <Radio.Group label={t('tokens.validity')} {...form.getInputProps('validity')}>
          <Stack gap="xs" mt="xs">
            {TOKEN_VALIDITIES.map((days) => (
              <Radio key={days} value={String(days)} label={t('tokens.days', { count: days })} />
            ))}
            <Radio value={FOREVER} label={t('tokens.forever')} />
          </Stack>
        </Radio.Group>
        <FormButtons close={() => discard(close)} isBusy={isBusy}>
          {t('tokens.create')}
        </FormButtons>
      </Stack>
    </form>
  );
}

function Made({ token, close }: { token: string; close: () => void }) {
  const t = useTexts('accounts');
  return (
    <Stack gap="md">
      <Alert
        color="warning"
        variant="light"
        role="status"
        icon={<IconAlertTriangle size={18} stroke={1.75} />}
      >
        {t('tokens.once')}
      </Alert>
      <div className={classes.secret} dir="ltr">
        <code>{token}</code>
        <CopyButton value={token} label={t('tokens.copy')} />
      </div>
      <Group justify="flex-end">
        <Button onClick={close} data-autofocus>
          {t('tokens.kept')}
        </Button>
      </Group>
    </Stack>
  );
}
