/**
 * What the service's requests go through in `npm start`: addresses of its nodes anywhere, everything else to public
 * addresses alone, by what a name resolves to. Where the service is deployed the platform sees to that.
 */
export default {
  fetch: (request, env) => {
    const { origin } = new URL(request.url);
    return env.ORIGINS.includes(origin) ? fetch(request) : env.PUBLIC.fetch(request);
  },
};
