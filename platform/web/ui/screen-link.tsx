// The router's link with typed search parameters, for `component={ScreenLink}`: a Mantine component
// would lose the type parameters of the router's link.
import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactElement } from 'react';

export type Search = Record<string, string | undefined>;
type ScreenLinkProps = Omit<ComponentProps<'a'>, 'href'> & { to: string; search?: Search };

export const ScreenLink: (props: ScreenLinkProps) => ReactElement = Link;
