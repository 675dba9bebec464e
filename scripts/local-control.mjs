/**
 * A Worker beside the service's, in the runtime of `npm start` alone. It listens on a socket that only this user's
 * processes can open, never on a port, and does for scripts/local-service.ts what only works inside the runtime.
 */
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/schedule") {
      const { outcome } = await env.SERVICE.scheduled({ cron: "* * * * *", scheduledTime: new Date() });
      return Response.json({ outcome });
    }
    if (pathname === "/batch") {
      const statements = await request.json();
      const results = await env.DB.batch(
        statements.map(({ sql, values }) => env.DB.prepare(sql).bind(...values)),
      );
      return Response.json(results.map((result) => result.results));
    }
    return new Response(null, { status: 404 });
  },
};
