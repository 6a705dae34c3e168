#pragma once
#include <microhttpd.h>

// What is variadic here, which Swift cannot call. `context` goes to every callback.
static inline struct MHD_Daemon *keyrack_mhd_start(
    int listener, unsigned connections, unsigned seconds, size_t memory, MHD_AccessHandlerCallback handler,
    void *(*target)(void *, const char *, struct MHD_Connection *), MHD_NotifyConnectionCallback changed,
    void *context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context, MHD_OPTION_LISTEN_SOCKET, listener,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT, seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK,
        target, context, MHD_OPTION_NOTIFY_CONNECTION, changed, context, MHD_OPTION_END);
}
// -1 where there is none, as for the next one.
static inline int keyrack_mhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}
static inline int keyrack_mhd_connection_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}
// In bytes, with the request line.
static inline size_t keyrack_mhd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}
