import LatticeWire

extension MessageSamples {
    /// A reply to a call that may have begun, written in an unusual way.
    private static var aboveOne: ActorReply {
        var reply = ActorReply(call: 7, code: .lost)
        reply.begun = 2
        return reply
    }

    static let calls: [Sample] = [
        Sample(
            "actorCall",
            ActorCall(call: 7, actor: 3, method: .named("greet(_:)"), arguments: [0x63, 0x41, 0x6e, 0x6e])
        ),
        Sample("actorCall, an operation of the node", ActorCall(call: 1, actor: 3, method: .operation(.ended))),
        Sample(
            "actorCall, a question to the feature on a channel",
            ActorCall(call: 2, actor: 1, method: .operation(.ask), arguments: [0x61, 0x61])
        ),
        Sample(
            "actorCall, an operation of later",
            ActorCall(call: 3, actor: 0, method: .operation(NodeOperation(rawValue: 255)))
        ),
        Sample(
            "actorCall that is to be passed on, with a deadline",
            ActorCall(
                call: 300,
                actor: 24,
                method: .named("m"),
                node: [UInt8](0..<16),
                context: TravelContext(leftMilliseconds: 1500)
            )
        ),
        Sample(
            "actorCall on behalf of an event, in a trace",
            ActorCall(
                call: 8,
                actor: 3,
                method: .named("m"),
                context: TravelContext(
                    trace: ["baggage=a=b", "traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
                    event: .init(
                        sender: [UInt8](repeating: 0x22, count: 16),
                        channel: 1,
                        feature: "tally",
                        instance: "",
                        number: 9
                    )
                )
            )
        ),
        Sample(
            "actorCall, boundaries",
            ActorCall(
                call: MessageLimits.maximumGrowing,
                actor: .max,
                method: .named(String(repeating: "m", count: 1_024)),
                node: [UInt8](repeating: 0xff, count: 16),
                substitutions: [String](repeating: "Si", count: 16),
                context: TravelContext(leftMilliseconds: .max)
            )
        ),
        Sample(
            "actorCall that a coordinator passes on for a client",
            ActorCall(call: 9, actor: 3, method: .named("m"), caller: 2)
        ),
        Sample("actorReply, nothing returned", ActorReply(call: 7, code: .returned)),
        Sample("actorReply, lost, with a begun above 1", aboveOne),
        Sample("actorReply, returned", ActorReply(call: 7, code: .returned, value: [0x18, 0x2a])),
        Sample(
            "actorReply, threw",
            ActorReply(call: 8, code: .threw, value: [0xa0], type: "Shop.SoldOut")
        ),
        Sample("actorReply, failed", ActorReply(call: 8, code: .failed, type: "IOError", reason: "Not told.")),
        Sample(
            "actorReply, lost",
            ActorReply(call: 9, code: .lost, reason: "The worker was killed by signal 9.", mayHaveBegun: true)
        ),
        Sample(
            "actorReply, a code of later",
            ActorReply(call: MessageLimits.maximumGrowing, code: ReplyCode(rawValue: 255), reason: "Postponed.")
        ),
        Sample("actorCancel", ActorCancel(call: 7)),
        Sample("actorCancel, boundary", ActorCancel(call: MessageLimits.maximumGrowing)),
        Sample("actorElements, the answer is a stream", ActorElements(call: 7, elements: [])),
        Sample("actorElements, two elements", ActorElements(call: 7, elements: [0x01, 0x62, 0x48, 0x69])),
        Sample(
            "actorElements, boundary",
            ActorElements(call: MessageLimits.maximumGrowing, elements: [UInt8](repeating: 0xf6, count: 300))
        ),
        Sample("namePublish", NamePublish(identifier: "thumbnailer", actor: 3)),
        Sample("namePublish, boundaries", NamePublish(identifier: String(repeating: "n", count: 255), actor: .max)),
        Sample("nameWithdraw", NameWithdraw(identifier: "thumbnailer")),
        Sample("nameWatch", NameWatch(watch: 1, identifier: "thumbnailer")),
        Sample("nameWatch, boundaries", NameWatch(watch: MessageLimits.maximumGrowing, identifier: "é")),
        Sample("nameUnwatch", NameUnwatch(watch: 1)),
        Sample("nameList, empty", NameList(watch: 1, places: [])),
        Sample(
            "nameList, two actors",
            NameList(
                watch: 2,
                places: [
                    ActorPlace(node: [UInt8](0..<16), actor: 3, incarnation: 4, title: "worker \"thumbnails\""),
                    ActorPlace(node: [UInt8](repeating: 0xff, count: 16), actor: .max, incarnation: 0, title: ""),
                ]
            )
        ),
        Sample("actorCredit", ActorCredit(call: 7, bytes: 32_768)),
        Sample(
            "actorCredit, boundaries",
            ActorCredit(call: MessageLimits.maximumGrowing, bytes: MessageLimits.maximumGrowing)
        ),
    ]
}
