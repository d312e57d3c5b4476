// The shape of the sign-in screens: title, what went wrong, the fields, the ways to the others.
import {
  Alert,
  Button,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
  Title,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';
import { useTexts } from '#platform/web/texts.ts';

export interface SignInFormProps {
  title: string;
  intro?: ReactNode;
  /** Why the last session ended, or why the server refused. */
  warning?: ReactNode;
  submitLabel: string;
  isBusy: boolean;
  onSubmit: ComponentProps<'form'>['onSubmit'];
  children: ReactNode;
  /** Another way, below the button. */
  another?: ReactNode;
  /** Links to the other screens. */
  footer?: ReactNode;
}

export function SignInForm(props: SignInFormProps) {
  const { title, intro, warning, submitLabel, isBusy, onSubmit, children, footer, another } = props;
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Title order={1} size="h2">
          {title}
        </Title>
        {intro && <Text c="dimmed">{intro}</Text>}
        {warning && (
          <Alert
            color="warning"
            variant="light"
            role="alert"
            icon={<IconAlertTriangle size={18} stroke={1.75} />}
          >
            {warning}
          </Alert>
        )}
        {children}
        <Button type="submit" loading={isBusy} size="md" fullWidth>
          {submitLabel}
        </Button>
        {another}
        {footer && (
          <Text size="sm" c="dimmed" component="div">
            {footer}
          </Text>
        )}
      </Stack>
    </form>
  );
}

/** A screen of the service that only says something, with where to go from it. */
export function SignInMessage(props: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        {props.title}
      </Title>
      <Text component="div" role="status">
        {props.children}
      </Text>
      {props.action}
    </Stack>
  );
}

/** A password with its eye, which says what it does. */
/** Mantine says of every other field itself that it is wrong; by that it is read out, and found by the focus. */
export function PasswordField(props: PasswordInputProps) {
  const t = useTexts('accounts');
  return (
    <PasswordInput
      dir="ltr"
      visibilityToggleButtonProps={{ 'aria-label': t('fields.showPassword'), tabIndex: 0 }}
      aria-invalid={Boolean(props.error)}
      {...props}
    />
  );
}

/** A code of the second factor: of six digits from the app, or one of the longer ones that were kept. */
export function CodeField(props: TextInputProps) {
  const t = useTexts('accounts');
  return (
    <TextInput
      dir="ltr"
      label={t('twoFactor.code')}
      description={t('twoFactor.codeText')}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={100}
      {...props}
    />
  );
}
