// `/settings/user`: to the profile of whoever is signed in.
import { Navigate } from '@tanstack/react-router';
import { useSession } from '#platform/web/session.ts';

export default function OwnProfileScreen() {
  const { user } = useSession();
  return <Navigate to={`/settings/user/${user.id}`} replace />;
}
