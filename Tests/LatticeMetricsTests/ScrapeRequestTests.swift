import Testing

@testable import LatticeMetrics

/// Tests the state machine of a request, without a connection.
@Suite struct ScrapeRequestTests {
    private static let prometheus =
        "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9464\r\nUser-Agent: Prometheus/3.0\r\nAccept: text/plain\r\n\r\n"

    /// Feeds bytes in pieces of a size, and returns the first output.
    private static func feed(_ text: String, piece: Int, to request: inout ScrapeRequest) -> ScrapeRequest.Output? {
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let part = bytes[start..<min(start + piece, bytes.count)]
            if let output = part.withUnsafeBytes({ request.receive($0) }) { return output }
        }
        return nil
    }

    private static func status(_ output: ScrapeRequest.Output?) -> String? {
        guard case .send(let text) = output else { return nil }
        return String(text.prefix { $0 != "\r\n" }.dropFirst("HTTP/1.1 ".count))
    }

    @Test("A request of Prometheus is understood at every split", arguments: 1...130)
    func splits(_ piece: Int) {
        var request = ScrapeRequest(hosts: ["127.0.0.1:9464"])
        #expect(Self.feed(Self.prometheus, piece: piece, to: &request) == .scrape)
        #expect(request.isWaiting)
        #expect(
            request.answer("a 1\n")
                == .send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: 4\r\n"
                        + "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\na 1\n"
                )
        )
        #expect(request.answer("a 2\n") == nil && request.expire() == nil)
    }

    @Test("HEAD gets the length and no text")
    func head() throws {
        var request = ScrapeRequest(hosts: nil)
        let text = "HEAD /metrics?x=1 HTTP/1.1\r\nHost:\tany\t \r\n\r\n"
        #expect(Self.feed(text, piece: 7, to: &request) == .scrape)
        guard case .send(let answer)? = request.answer("a 1\n") else { return #expect(Bool(false), "no answer") }
        #expect(answer.contains("Content-Length: 4\r\n") && answer.hasSuffix("\r\n\r\n"))
    }

    /// Requests, and the status of the answer. Nil if the metrics are read.
    static let requests: [(String, String?)] = [
        ("GET /metrics HTTP/1.0\r\n\r\n", nil),
        ("GET /metrics HTTP/1.1\r\nhost: LOCALHOST:9464\r\nContent-Length: 0\r\n\r\n", nil),
        ("GET / HTTP/1.1\r\nHost: localhost:9464\r\n\r\n", "404 Not Found"),
        ("GET /metrics/ HTTP/1.1\r\nHost: localhost:9464\r\n\r\n", "404 Not Found"),
        ("POST /metrics HTTP/1.1\r\nHost: localhost:9464\r\n\r\n", "405 Method Not Allowed"),
        ("get /metrics HTTP/1.1\r\nHost: localhost:9464\r\n\r\n", "405 Method Not Allowed"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\nContent-Length: 3\r\n\r\nabc", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\nTransfer-Encoding: chunked\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\nHost: localhost:9464\r\n\r\n", "400 Bad Request"),
        // A page of another site that its name server has pointed to this machine.
        ("GET /metrics HTTP/1.1\r\nHost: evil.example:9464\r\n\r\n", "421 Misdirected Request"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost:9465\r\n\r\n", "421 Misdirected Request"),
        ("GET /metrics HTTP/2.0\r\nHost: localhost:9464\r\n\r\n", "505 HTTP Version Not Supported"),
        ("GET  /metrics HTTP/1.1\r\nHost: localhost:9464\r\n\r\n", "400 Bad Request"),
        ("GET /metrics\r\n\r\n", "400 Bad Request"),
        ("\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\nHost: localhost:9464\n\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\n folded\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\r\nHost : localhost:9464\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\nX: a\rb\r\n\r\n", "400 Bad Request"),
        ("GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\nX: é\r\n\r\n", "400 Bad Request"),
        ("\u{16}\u{3}\u{1}\r\n\r\n", "400 Bad Request"),
    ]

    @Test("What is no request for metrics is answered with its status", arguments: requests)
    func invalid(_ text: String, _ status: String?) {
        for piece in [1, text.utf8.count] {
            var request = ScrapeRequest(hosts: ["127.0.0.1:9464", "localhost:9464"])
            let output = Self.feed(text, piece: piece, to: &request)
            if let status { #expect(Self.status(output) == status) } else { #expect(output == .scrape) }
            #expect(request.isWaiting == (status == nil) && !request.isReading)
        }
    }

    @Test("A head that is too large is refused, and what follows is ignored")
    func tooLarge() {
        var request = ScrapeRequest(hosts: nil)
        let text = "GET /metrics HTTP/1.1\r\nX: " + String(repeating: "a", count: ScrapeRequest.maximumHead)
        #expect(Self.status(Self.feed(text, piece: 100, to: &request)) == "431 Request Header Fields Too Large")
        #expect(Self.feed(Self.prometheus, piece: 1000, to: &request) == nil)
    }

    @Test("A request whose metrics cannot be read in time gets an error, and one that did not arrive gets nothing")
    func expire() {
        var request = ScrapeRequest(hosts: nil)
        #expect(request.expire() == nil)
        #expect(Self.feed(Self.prometheus, piece: 1000, to: &request) == nil)
        request = ScrapeRequest(hosts: nil)
        #expect(Self.feed(Self.prometheus, piece: 1000, to: &request) == .scrape)
        #expect(Self.status(request.expire()) == "503 Service Unavailable")
        #expect(request.answer("a 1\n") == nil)
    }

    @Test("Random bytes never trap", arguments: 0..<50 as Range<UInt64>)
    func random(_ seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let alphabet = Array("GET /metrics HTTP/1.1\r\n\r\nHost:: \0é".utf8)
        let bytes = (0..<400).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return alphabet[Int(state >> 33) % alphabet.count]
        }
        var request = ScrapeRequest(hosts: ["a"])
        for byte in bytes { _ = [byte].withUnsafeBytes { request.receive($0) } }
        #expect(request.answer("") == nil || !request.isReading)
    }
}
