"""What every protocol version shares: plain modules, which need only the standard library.

    values       values, records, objects, slotted, guards, deprecation
    errors       errors, complaints
    JSON text    jsontext, _json_standard, _json_long, _json_problem, _json_msgspec, _json_common
    codecs       codec, support, coerce, explain, explain_encoding, published, schemas
    facts        facts, methods, capabilities, stateless
    envelope     envelope, refusals
    stubs        stubs, stubs_sync, calling, session, inputs, progress
    handlers     handlers, extensions, context, threads, exits
    dispatchers  dispatcher, serving, loopback
    connections  connection, core, states, events, limits, handshake, negotiation, receiving,
                 stray, glimpse, answering, arrivals, calls, outcomes
    sessions     asyncio_session, sync_session, session_base, sides, callers, serving_tasks, feeds,
                 reactions, reading, writing, finishing, alarm, loop_thread
    transports   transport, memory, inbox, lines, pipes, descriptors, files
    stdio        stdio_client, stdio_server, child, child_transport, standard_streams

What differs by version is given to them: by the tables in a version's `codec` and `methods`,
and for sessions by `versions`, which loads a version when it is spoken. Where a rule began or
ended with a version, a module asks what the version has, not for its name.
"""
