// The dialog that creates or edits an API token. It shows the secret of a new or rotated token
// once.
import { Alert, Button, Group, Radio, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { Right } from '#platform/rights.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import type { ApiToken } from '../../settings-contract.ts';
import { MAX_NETWORKS, MAX_TITLE_LENGTH, ROTATION_HOURS, TOKEN_VALIDITIES } from '../../shared.ts';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { api, TOKENS } from './queries.ts';
import { RightBoxes } from './rights-fields.tsx';
import classes from './settings.module.css';

const FOREVER = 'forever';

interface TokenDialogProps {
  isOpen: boolean;
  close: () => void;
  /** The token to edit, or the rotated token; undefined to create a token. */
  token?: ApiToken | undefined;
  /** The secret of a rotated token. */
  secret?: string | undefined;
}

export default function TokenDialog({ isOpen, close, token, secret }: TokenDialogProps) {
  const t = useTexts('accounts');
  return (
    <Dialog
      opened={useOpened(isOpen)}
      onClose={close}
      title={secret ? t('tokens.rotated') : token ? t('tokens.edit') : t('tokens.create')}
      // An accidental click outside the dialog must not lose the token.
      closeOnClickOutside={false}
    >
      {isOpen && <Steps close={close} token={token} secret={secret} />}
    </Dialog>
  );
}

function Steps({ close, token, secret }: Omit<TokenDialogProps, 'isOpen'>) {
  const t = useTexts('accounts');
  const [newSecret, setNewSecret] = useState(secret);
  if (newSecret === undefined)
    return <TokenForm close={close} token={token} onMade={setNewSecret} />;
  return (
    <Stack gap="md">
      {secret && (
        <Text size="sm">
          {token?.is_expired
            ? t('tokens.rotatedExpired')
            : t('tokens.rotatedText', { count: ROTATION_HOURS })}
        </Text>
      )}
      <NewToken token={newSecret} close={close} />
    </Stack>
  );
}

interface TokenFormProps {
  close: () => void;
  token: ApiToken | undefined;
  onMade: (secret: string) => void;
}

function useTokenForm({ close, token, onMade }: TokenFormProps) {
  const t = useTexts('accounts');
  return useKeptForm(`token:${token?.id ?? 'new'}`, {
    initialValues: {
      title: token?.title ?? '',
      validity: FOREVER,
      isLimited: token ? token.scopes !== null : false,
      scopes: token?.scopes ?? ([] as Right[]),
      networks: token?.networks ?? [],
    },
    apiFieldNames: { validity_days: 'validity' },
    validate: {
      title: (title) => (title.trim() ? null : t('tokens.titleRequired')),
      scopes: (scopes, { isLimited }) =>
        isLimited && scopes.length === 0 ? t('tokens.rightsRequired') : null,
    },
    send: async ({ title, validity, isLimited, ...values }) => {
      const scopes = isLimited ? values.scopes : null;
      const networks = values.networks.length > 0 ? values.networks : null;
      const body = { title: title.trim(), scopes, networks };
      if (token) {
        await api('PATCH /client-api/api/tokens/{id}', { params: { id: token.id }, body });
        close();
      } else {
        const validity_days = TOKEN_VALIDITIES.find((days) => String(days) === validity) ?? null;
        const { data } = await api('POST /client-api/api/tokens', {
          body: { ...body, validity_days },
        });
        onMade(data.token);
      }
      await invalidate(TOKENS);
    },
  });
}

function TokenForm(props: TokenFormProps) {
  const { close, token } = props;
  const t = useTexts('accounts');
  const { form, isBusy, submit, discard } = useTokenForm(props);
  const { isLimited, scopes } = form.getValues();
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('tokens.columns.title')}
          description={t('tokens.titleHint')}
          autoComplete="off"
          maxLength={MAX_TITLE_LENGTH}
          data-autofocus
          {...form.getInputProps('title')}
        />
        <Radio.Group
          label={t('rights.title')}
          value={isLimited ? 'limited' : 'all'}
          onChange={(value) => form.setFieldValue('isLimited', value === 'limited')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="all" label={t('tokens.allRights')} />
            <Radio value="limited" label={t('tokens.chosenRights')} />
          </Stack>
        </Radio.Group>
        {isLimited && (
          <RightBoxes
            label={t('rights.allowed')}
            rights={scopes}
            error={form.errors.scopes}
            onChange={(rights) => form.setFieldValue('scopes', rights)}
          />
        )}
        {!token && (
          <Radio.Group label={t('tokens.validity')} {...form.getInputProps('validity')}>
            <Stack gap="xs" mt="xs">
              {TOKEN_VALIDITIES.map((days) => (
                <Radio key={days} value={String(days)} label={t('tokens.days', { count: days })} />
              ))}
              <Radio value={FOREVER} label={t('tokens.forever')} />
            </Stack>
          </Radio.Group>
        )}
        <TagsInput
          label={t('tokens.networks')}
          description={t('tokens.networksHint')}
          maxTags={MAX_NETWORKS}
          splitChars={[',', ' ', ';']}
          dir="ltr"
          {...form.getInputProps('networks')}
        />
        <FormButtons close={() => discard(close)} isBusy={isBusy}>
          {token ? t('settings.save') : t('tokens.create')}
        </FormButtons>
      </Stack>
    </form>
  );
}

function NewToken({ token, close }: { token: string; close: () => void }) {
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
