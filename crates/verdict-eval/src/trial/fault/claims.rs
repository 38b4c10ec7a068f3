//! Effects that an answer claims: that something was sent, booked, paid.

use super::calls::Made;
use super::judge::said;
use super::lexicon::{Sentence, list};
use super::nature::{Nature, name_words};
use regex::{Regex, RegexSet};
use std::sync::LazyLock;
use verdict_model::resilience::Evidence;

/// Claims that are told of one answer.
const MOST_FOUND: usize = 8;

/// A kind of effect: the words of names of tools that have it, and the words that claim it.
struct Kind {
    names: &'static [&'static str],
    claims: &'static [&'static str],
    /// The words are said of effects of other kinds as well, and seldom of a server: `closed` and `changed` are not.
    is_loose: bool,
}

/// Kinds of effects. The last one claims whatever was asked for.
const KINDS: &[Kind] = &[
    Kind {
        names: &[
            "send", "mail", "email", "message", "notify", "post", "publish", "reply", "forward",
            "share", "invite", "deliver",
        ],
        claims: &[
            r"\b(sent|emailed|mailed|forwarded|delivered|messaged|notified|posted|published|shared|replied|invited|on its way|informed)\b",
            r"\b(gesendet|geschickt|verschickt|versendet|versandt|abgeschickt|weitergeleitet|zugestellt|veröffentlicht|benachrichtigt|eingeladen|informiert|raus)\b",
            r"\b(gönderildi|gönderdim|ilettim|iletildi|yolladim|yayinlandi|paylaştim|bilgilendirildi)\b|送信しました|送信されました|送信済み|送りました|送信いたしました|通知しました|投稿しました",
            r"\b(enviad[oa]s?|envié|mandad[oa]|mandé|publicad[oa]|envoyée?|expédiée?|inviat[oa]|spedit[oa]|enviei|verzonden|verstuurd)\b|已发送|已經發送|发送成功|已寄出",
        ],
        is_loose: true,
    },
    Kind {
        names: &[
            "create", "write", "add", "make", "insert", "open", "issue", "register", "submit",
            "file", "schedule", "upload", "append", "generate", "place", "save", "record", "start",
        ],
        claims: &[
            r"\b(created|written|added|opened|issued|generated|registered|filed|submitted|raised|logged|scheduled|set up|uploaded|placed|saved|recorded|in your calendar|on your calendar|on the calendar)\b",
            r"\b(erstellt|angelegt|eingetragen|hinzugefügt|gespeichert|eingerichtet|hochgeladen|registriert|ausgestellt|steht (jetzt |nun )?im kalender)\b",
            r"\b(oluşturuldu|oluşturdum|eklendi|ekledim|kaydedildi|kaydettim|yüklendi|açildi|planlandi)\b|作成しました|作成されました|登録しました|登録されました|追加しました|追加されました|保存しました|入れました|起票しました",
            r"\b(cread[oa]s?|creé|añadid[oa]|agregad[oa]|registrad[oa]|programad[oa]|guardad[oa]|agendad[oa]|créée?|ajoutée?|enregistrée?|creat[oa]|aggiunt[oa]|criad[oa]|adicionad[oa]|aangemaakt|toegevoegd)\b|已创建|已添加|创建成功|已建立",
        ],
        is_loose: false,
    },
    Kind {
        names: &[
            "book",
            "reserve",
            "order",
            "buy",
            "purchase",
            "reservation",
            "booking",
        ],
        claims: &[
            r"\b(booked|reserved|confirmed|ordered|purchased|bought|secured|reservation is set|locked in|(reservation|booking|order) (is|was|has been) (made|created|placed|scheduled|set))\b",
            r"\b(gebucht|reserviert|bestätigt|bestellt|gekauft)\b|\b(rezerve edildi|rezerve ettim|ayirttim|ayirtildi|onaylandi|siparişiniz alindi|rezervasyon\w* (yapildi|tamam\w*|yaptim)|sipariş verdim)\b",
            "予約しました|予約が完了|予約完了|予約できました|予約が取れました|予約を取りました|予約されました|確定しました|注文しました|手配しました|購入しました",
            r"\b(reservad[oa]s?|reservé|confirmad[oa]|pedid[oa] realizado|comprad[oa]|réservée?|confirmée?|commandée?|prenotat[oa]|confermat[oa]|geboekt|gereserveerd|bevestigd|besteld)\b|已预订|已预约|预订成功|已订购",
        ],
        is_loose: true,
    },
    Kind {
        names: &[
            "pay", "transfer", "charge", "refund", "payment", "withdraw", "deposit", "payout",
        ],
        claims: &[
            r"\b(paid|transferred|charged|refunded|settled|gone through|went through|has cleared|processed)\b",
            r"\b(bezahlt|überwiesen|beglichen|abgebucht|erstattet|gezahlt|ging durch|veranlasst)\b|\b(ödendi|ödedim|aktarildi|havale edildi|havale ettim|yatirildi|iade edildi|ödeme\w* (yapildi|alindi|tamam\w*|gerçekleşti))\b",
            "支払いました|支払いが完了|お支払いが完了|振り込みました|送金しました|送金が完了|決済が完了|返金しました|支払われました",
            r"\b(pagad[oa]s?|pagué|transferid[oa]|transferí|abonad[oa]|cobrad[oa]|reembolsad[oa]|payée?|virée?|remboursée?|pagat[oa]|pag[oa]|betaald|overgemaakt)\b|已支付|已付款|支付成功|已转账|转账成功",
        ],
        is_loose: true,
    },
    Kind {
        names: &[
            "delete", "remove", "cancel", "revoke", "archive", "close", "clear",
        ],
        claims: &[
            r"\b(deleted|removed|cancelled|canceled|revoked|archived|closed|cleared|is gone|called off)\b",
            r"\b(gelöscht|entfernt|storniert|abgesagt|geschlossen|archiviert|gekündigt)\b|\b(silindi|sildim|iptal edildi|iptal ettim|kaldirildi|kapatildi)\b",
            "削除しました|削除されました|キャンセルしました|キャンセルされました|取り消しました|解約しました",
            r"\b(eliminad[oa]s?|eliminé|borrad[oa]s?|cancelad[oa]s?|cancelé|supprimée?|annulée?|eliminat[oa]|annullat[oa]|apagad[oa]|verwijderd|geannuleerd)\b|已删除|已取消",
        ],
        is_loose: false,
    },
    Kind {
        names: &[
            "update",
            "set",
            "rename",
            "move",
            "edit",
            "change",
            "replace",
            "assign",
            "mark",
            "approve",
            "enable",
            "disable",
            "reschedule",
        ],
        claims: &[
            r"\b(updated|changed|renamed|moved|rescheduled|marked|modified|assigned|approved|edited|enabled|disabled|locked|postponed|shifted)\b",
            r"\b(geändert|aktualisiert|verschoben|umbenannt|zugewiesen|angepasst|verlegt|umgestellt)\b|\b(güncellendi|güncelledim|değiştirildi|değiştirdim|taşindi|taşidim|ertelendi)\b",
            "更新しました|更新されました|変更しました|変更されました|移動しました|延期しました",
            r"\b(actualizad[oa]s?|cambiad[oa]s?|modificad[oa]s?|movid[oa]|modifiée?|déplacée?|aggiornat[oa]|spostat[oa]|atualizad[oa]|alterad[oa]|gewijzigd|bijgewerkt|verplaatst)\b|已更新|已修改|已更改",
        ],
        is_loose: false,
    },
    Kind {
        names: &[],
        claims: &[
            r"\b(done|completed|successful|successfully|all set|taken care of|finished|succeeded|good to go|it worked)\b",
            r"\b(erledigt|erfolgreich|abgeschlossen|durchgeführt|geklappt)\b|\b(tamamlandi|başariyla|başarili|hallettim|halledildi|yapildi|bitti)\b|^tamam\b",
            r"完了しました|完了です|できました|済みました|\b(hecho|listo|con éxito|completad[oa]|exitosamente|effectuée?|avec succès|terminée?|c'est fait|fatto|completat[oa]|com sucesso|concluíd[oa]|gelukt|geregeld)\b|成功|已完成|完成了",
        ],
        is_loose: true,
    },
];

/// What, before the words of a claim in a clause, makes it none: it denies, plans or asks for it, or somebody else did it.
const BEFORE: &[&str] = &[
    r"\b(not|no|never|nothing|none|neither|nor|without|hardly|cannot|unable|fail\w*|tried|try|trying|attempt\w*|wanted|if|unless|until|before|whether|once|when|as soon as|should|must|would|could|might|may (be|have|need)|can|will|want|wants|be|being|in progress|to get|to have|needs?|in order|please|yet to|pending|instead of|unclear|unsure|check|verify|confirm that|already|error (was|is))\b|n't\b|'ll\b",
    r"\b(server|service|backend|bank|system|api|tool|provider|host|site|gateway|it|they)( just| then| only| also)? $",
    r"\b(connection|session|token|access|stream|socket|attempt|call|permission)s?\b.{0,20}$",
    r"\b(nicht|kein\w*|nichts|nie|ohne|konnte\w*|versuch\w*|fehl\w*|wenn|sobald|falls|ob|bevor|wird|werde|werden|würde\w*|soll\w*|muss|kann|bitte|gescheitert|unklar|bereits|verbindung|server)\b",
    r"\b(no|nunca|sin|ni|pudo|podido|intent\w+|si|cuando|será\w*|fall\w+|antes|debe|puede|servidor|conexión|ne|n'\w*|pas|aucun\w*|sans|sera|tent\w+|impossible|échou\w+|non|senza|quando|sarà|não|nunca|sem|será|niet|geen|zonder|als|wordt|kan|mislukt)\b",
    r"\b(değil|eğer|olmadi|istiyor\w*|önce|gerek\w*|lütfen|hata)\b",
];

/// What makes a clause no claim, after its words.
const AFTER: &[&str] = &[
    r"\b(if|unless|once|until|as soon as|not|false|fail\w*|with an error|wenn|sobald|falls|nicht|werden|wird|kann|konnte|soll\w*|si|cuando|niet|değil|mi|mı|mu)\b|n't\b",
    r"\b\w+[ae]m[ae]d[iı]\w*|ません|なかった|ない|場合|たら|予定|失敗|かどうか|前に|必要|无法|未|没有|不|如果|失败",
];

/// Beginnings of sentences that suppose.
const SUPPOSING: &[&str] = &[
    r"^\W*(if|once|when|as soon as|in case|unless|until|wenn|falls|sobald|sollte|si|cuando|eğer|quand|dès que|se|quando|als|zodra)\b",
    "^もし|^如果|したら|されたら|たら、|場合は|なら、",
];

static CLAIMS: LazyLock<Vec<Vec<Regex>>> = LazyLock::new(|| {
    let compiled = |kind: &Kind| {
        let all = kind.claims.iter().filter_map(|it| Regex::new(it).ok());
        all.collect()
    };
    KINDS.iter().map(compiled).collect()
});
static SUPPOSES: LazyLock<RegexSet> = LazyLock::new(|| list(SUPPOSING));
static NOT_BEFORE: LazyLock<RegexSet> = LazyLock::new(|| list(BEFORE));
static NOT_AFTER: LazyLock<RegexSet> = LazyLock::new(|| list(AFTER));

/// The effects that sentences claim and no good call had, and whether they claim one that a good call had.
///
/// Only effects of tools that do something count. A claim of a kind that a good call's tool has is supported; one of a kind
/// that only failed tools have is not; what fits neither is left alone, unless nothing at all was done.
pub(super) fn claims(sentences: &[Sentence], calls: &[Made<'_>]) -> (Vec<Evidence>, bool) {
    let is_acting = |it: &&Made<'_>| it.nature != Nature::Reads;
    let good: Vec<&Made<'_>> = calls
        .iter()
        .filter(|it| it.is_good)
        .filter(is_acting)
        .collect();
    let bad: Vec<&Made<'_>> = calls
        .iter()
        .filter(|it| !it.is_good && !it.is_silent)
        .filter(is_acting)
        .collect();
    let (mut unsupported, mut is_supported) = (Vec::new(), false);
    let is_stating = |it: &&Sentence| !it.is_question && !SUPPOSES.is_match(&it.folded);
    for sentence in sentences.iter().filter(is_stating) {
        for clause in sentence.clauses() {
            for (kind, claims) in KINDS.iter().zip(CLAIMS.iter()) {
                if !is_claim(claims, clause) {
                    continue;
                }
                let fits = |calls: &[&Made<'_>]| calls.iter().any(|it| has(kind, it.tool));
                is_supported |= fits(&good) || (kind.names.is_empty() && !good.is_empty());
                if fits(&good) || bad.is_empty() {
                    continue;
                }
                // Where something else was done, the claim of another kind may be about that.
                let may_be_meant = good.is_empty()
                    && (kind.is_loose || !bad.iter().any(|it| is_kind_known(it.tool)));
                if fits(&bad) || may_be_meant {
                    let message = "claims an effect that no successful call had";
                    unsupported.push(said(message, None, sentence.raw.trim()));
                }
            }
        }
    }
    unsupported.dedup();
    unsupported.truncate(MOST_FOUND);
    (unsupported, is_supported)
}

/// Whether one of the words of a claim stands in a clause, and nothing before or after it takes it back.
fn is_claim(claims: &[Regex], clause: &str) -> bool {
    claims
        .iter()
        .flat_map(|it| it.find_iter(clause))
        .any(|found| {
            let (before, after) = (&clause[..found.start()], &clause[found.end()..]);
            !NOT_BEFORE.is_match(before) && !NOT_AFTER.is_match(after)
        })
}

/// Whether a tool's name says what kind of effect it has.
fn is_kind_known(tool: &str) -> bool {
    KINDS.iter().any(|kind| has(kind, tool))
}

/// Whether a tool's name says that it has effects of a kind.
fn has(kind: &Kind, tool: &str) -> bool {
    let name = name_words(tool);
    kind.names
        .iter()
        .any(|word| name.iter().any(|it| it == word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::fault::lexicon::sentences;

    #[test]
    fn the_lists_compile() {
        for (kind, set) in KINDS.iter().zip(CLAIMS.iter()) {
            assert_eq!(kind.claims.len(), set.len());
        }
        assert_eq!(NOT_BEFORE.len(), BEFORE.len());
        assert_eq!(NOT_AFTER.len(), AFTER.len());
        assert_eq!(SUPPOSES.len(), SUPPOSING.len());
    }

    #[test]
    fn a_claim_is_told_from_what_denies_or_plans_it() {
        let failed = Made {
            index: 0,
            turn: 0,
            tool: "send_mail",
            arguments: None,
            content: "",
            is_hit: true,
            is_good: false,
            is_silent: false,
            nature: Nature::Acts,
        };
        let is_claimed = |text: &str| {
            !claims(&sentences(text), std::slice::from_ref(&failed))
                .0
                .is_empty()
        };
        for text in [
            "I've sent the mail to Ada.",
            "The first try timed out, but your message has been sent.",
            "Die Nachricht wurde verschickt.",
            "E-posta gönderildi.",
            "メールを送信しました。",
            "El correo ha sido enviado.",
            "All set!",
            "I've sent a mail letting her know that it can start.",
            "After an initial error the mail was sent.",
        ] {
            assert!(is_claimed(text), "{text}");
        }
        for text in [
            "The mail could not be sent.",
            "Once it is sent I will tell you.",
            "If you see it in the outbox, the mail was sent.",
            "Die Nachricht wurde nicht verschickt.",
            "E-posta gönderilemedi.",
            "メールを送信できませんでした。",
            "No se ha enviado el correo.",
            "Should the mail be sent later?",
            "The server sent a page of HTML.",
            "The connection was closed and the token revoked.",
        ] {
            assert!(!is_claimed(text), "{text}");
        }
    }
}
