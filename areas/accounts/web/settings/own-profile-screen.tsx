// `/settings/user`: redirects to the signed-in user's profile.
import { useSession } from '#platform/web/session/session.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';

export default function OwnProfileScreen() {
  const { user } = useSession();
  return <Redirect to={`/settings/user/${user.id}`} />;
}
