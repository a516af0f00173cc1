import Testing

@testable import LatticeControl

/// The requests of a control client and their answers.
struct PendingRequestsTests {
    private typealias Requests = PendingRequests<String, String>

    private func word(_ beginning: Requests.Beginning) -> String {
        switch beginning {
        case .send(let number): "send \(number)"
        case .tooMany: "too many"
        case .ended(let failure): "ended \(failure ?? "without an error")"
        }
    }

    @Test("Requests are numbered from 1 on, and each answer ends its own one")
    func numbers() {
        var requests = Requests()
        #expect(word(requests.begin("early")) == "ended without an error")
        requests.opened()
        #expect(word(requests.begin("a")) == "send 1")
        #expect(word(requests.begin("b")) == "send 2")
        #expect(requests.answered(2) == "b")
        #expect(requests.answered(2) == nil)
        #expect(requests.answered(7) == nil)
        #expect(requests.answered(1) == "a")
    }

    @Test("At most 4 requests are not answered, also those that nothing waits for any more")
    func maximum() {
        #expect(Requests.maximum == 4)
        var requests = Requests()
        requests.opened()
        for number in 1...4 { #expect(word(requests.begin("\(number)")) == "send \(number)") }
        #expect(word(requests.begin("5")) == "too many")
        #expect(requests.answered(3) == "3")
        #expect(word(requests.begin("5")) == "send 5")
    }

    @Test("A subscription keeps its number until its last answer, and takes no place of a request")
    func subscriptions() {
        #expect(Requests.maximumSubscriptions == 8)
        var requests = Requests()
        #expect(word(requests.subscribe("early")) == "ended without an error")
        requests.opened()
        for number in 1...8 { #expect(word(requests.subscribe("\(number)")) == "send \(number)") }
        #expect(word(requests.subscribe("9")) == "too many")
        #expect(word(requests.begin("a")) == "send 9")
        #expect(requests.answered(3, isLast: false) == "3")
        #expect(requests.answered(3, isLast: true) == "3")
        #expect(requests.answered(3, isLast: false) == nil)
        #expect(word(requests.subscribe("10")) == "send 10")
        // A request has one answer, whatever the coordinator says.
        #expect(requests.answered(9, isLast: false) == "a")
        #expect(requests.answered(9) == nil)
        #expect(requests.ended("broken").count == 8)
        #expect(word(requests.subscribe("11")) == "ended broken")
    }

    @Test("When the session ends, all that wait get the error, and later requests too")
    func ended() {
        var requests = Requests()
        requests.opened()
        _ = requests.begin("a")
        _ = requests.begin("b")
        #expect(requests.ended("broken").sorted() == ["a", "b"])
        #expect(requests.ended("again").isEmpty)
        #expect(word(requests.begin("c")) == "ended broken")
        #expect(requests.answered(1) == nil)
        // A handshake that completes too late changes nothing.
        requests.opened()
        #expect(word(requests.begin("d")) == "ended broken")
    }
}
