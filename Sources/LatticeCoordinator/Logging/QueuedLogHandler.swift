import Logging

/// Hands what is logged to a queue, which writes it with another handler.
struct QueuedLogHandler: LogHandler {
    var sink: any LogHandler
    let queue: LogQueue
    let origin: LogOrigin

    var logLevel: Logger.Level {
        get { sink.logLevel }
        set { sink.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { sink.metadata }
        set { sink.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { sink.metadataProvider }
        set { sink.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { sink[metadataKey: key] }
        set { sink[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        // Asked here, since what it tells is often the caller's task's.
        if let provided = sink.metadataProvider?.get(), !provided.isEmpty {
            event.metadata = provided.merging(event.metadata ?? [:]) { $1 }
        }
        queue.add(event, to: sink, from: origin)
    }
}
