/// The state machine of a connection that asks for metrics by HTTP/1.1. It performs no I/O.
///
/// It understands one request without a body for each connection, and answers everything else with an error. The
/// request is in one of these states:
///
/// - *reading*: the head of the request has not ended.
/// - *waiting*: the request is valid and waits for the text.
/// - *ended*: it was answered.
struct ScrapeRequest: Sendable {
    /// What to do after an input.
    enum Output: Equatable {
        /// Read the metrics and pass their text to `answer`.
        case scrape
        /// Send these bytes and close the connection.
        case send(String)
    }

    /// The status of an answer.
    enum Status: String {
        case success = "200 OK"
        case badRequest = "400 Bad Request"
        case notFound = "404 Not Found"
        case methodNotAllowed = "405 Method Not Allowed"
        case misdirected = "421 Misdirected Request"
        case tooLarge = "431 Request Header Fields Too Large"
        case unavailable = "503 Service Unavailable"
        case versionNotSupported = "505 HTTP Version Not Supported"
    }

    private enum Phase {
        case reading([UInt8])
        case waiting(isHead: Bool)
        case ended
    }

    /// The maximum size of the head of a request in bytes. Prometheus sends about 300.
    static let maximumHead = 8 * 1024
    /// The path at which the metrics are.
    static let path = "/metrics"

    private var phase = Phase.reading([])
    /// The hosts that a request may name, or nil for all. A web page that uses a name of its own for this machine is
    /// refused, because the browser sends that name.
    private let hosts: Set<String>?

    /// - Parameter hosts: The hosts that a request may name in its header `Host`, in lower case, or nil for all.
    init(hosts: Set<String>?) {
        self.hosts = hosts
    }

    /// A Boolean value that indicates whether the head of the request has not ended.
    var isReading: Bool { if case .reading = phase { true } else { false } }
    /// A Boolean value that indicates whether the request waits for the text.
    var isWaiting: Bool { if case .waiting = phase { true } else { false } }

    /// Handles bytes that arrived. Bytes after the head of the request are ignored.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Output? {
        guard case .reading(var head) = phase else { return nil }
        phase = .ended
        let end: [UInt8] = [13, 10, 13, 10]
        for byte in bytes {
            head.append(byte)
            if byte == 10, head.suffix(4).elementsEqual(end) { return handle(head.dropLast(4)) }
            if head.count >= Self.maximumHead { return fail(.tooLarge, "The request is too large.") }
        }
        phase = .reading(head)
        return nil
    }

    /// Answers the request with the metrics.
    mutating func answer(_ text: String) -> Output? {
        guard case .waiting(let isHead) = phase else { return nil }
        phase = .ended
        return .send(Self.response(.success, PrometheusText.contentType, text, isHead: isHead))
    }

    /// Handles the end of the time that a connection has. A connection that sent no complete request gets no answer.
    mutating func expire() -> Output? {
        defer { phase = .ended }
        guard case .waiting = phase else { return nil }
        return fail(.unavailable, "The metrics could not be read in time, because the process is busy or hangs.")
    }

    // MARK: Parsing

    private mutating func handle(_ head: ArraySlice<UInt8>) -> Output {
        // Lines end with CR and LF. Any other control character is an error, so that no proxy sees another request.
        guard let text = String(validating: head, as: UTF8.self) else { return fail(.badRequest, "It is not text.") }
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        guard lines.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value < 127 || $0 == "\t" } })
        else { return fail(.badRequest, "The request contains a control character or is not ASCII.") }
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words.allSatisfy({ !$0.isEmpty }), words[2].hasPrefix("HTTP/") else {
            return fail(.badRequest, "The first line is not a request.")
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            return fail(.versionNotSupported, "Use HTTP/1.1.")
        }
        guard let fields = Self.fields(lines.dropFirst()) else {
            return fail(.badRequest, "A line of the header has no name.")
        }
        if let problem = check(fields, isOld: words[2] == "HTTP/1.0") { return problem }
        guard words[0] == "GET" || words[0] == "HEAD" else {
            return fail(.methodNotAllowed, "Use GET or HEAD.", "Allow: GET, HEAD\r\n")
        }
        let path = words[1].prefix { $0 != "?" }
        guard path == Self.path else { return fail(.notFound, "The metrics are at \(Self.path).") }
        phase = .waiting(isHead: words[0] == "HEAD")
        return .scrape
    }

    private static func fields(_ lines: ArraySlice<Substring>) -> [(name: String, value: String)]? {
        var fields: [(String, String)] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                !line[..<colon].contains(where: \.isWhitespace)
            else { return nil }
            let value = line[line.index(after: colon)...]
            let start = value.drop { $0 == " " || $0 == "\t" }
            let end = start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
            fields.append((line[..<colon].lowercased(), String(end)))
        }
        return fields
    }

    private mutating func check(_ fields: [(name: String, value: String)], isOld: Bool) -> Output? {
        guard
            !fields.contains(where: { $0.name == "transfer-encoding" || $0.name == "content-length" && $0.value != "0" }
            )
        else { return fail(.badRequest, "A request for metrics has no body.") }
        let named = fields.filter { $0.name == "host" }.map { $0.value.lowercased() }
        guard named.count == 1 || isOld && named.isEmpty else {
            return fail(.badRequest, "The request needs one header Host.")
        }
        if let hosts, let host = named.first, !hosts.contains(host) {
            return fail(.misdirected, "This endpoint serves this machine only. Use the host 127.0.0.1.")
        }
        return nil
    }

    // MARK: Answers

    private mutating func fail(_ status: Status, _ reason: String, _ fields: String = "") -> Output {
        phase = .ended
        return .send(Self.response(status, "text/plain; charset=utf-8", reason + "\n", fields, isHead: false))
    }

    private static func response(
        _ status: Status,
        _ type: String,
        _ body: String,
        _ fields: String = "",
        isHead: Bool
    ) -> String {
        "HTTP/1.1 \(status.rawValue)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\(fields)Connection: close\r\n\r\n"
            + (isHead ? "" : body)
    }
}
