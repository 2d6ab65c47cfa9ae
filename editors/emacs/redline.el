;;; redline.el --- Edits by a fast model, through Eglot  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: convenience, languages, tools
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Commands for the language server Redline.  Eglot alone offers its code
;; actions; this file adds instructions in your own words, which are carried
;; out in the background and shown in the buffer before they are applied:
;;
;;   M-x redline-edit       carry out an instruction on the region, or on the
;;                          definition at point
;;   M-x redline-accept, redline-reject
;;   M-x redline-next-change, redline-previous-change
;;   M-x redline-accept-change, redline-reject-change
;;   M-x redline-ediff      compare
;;   M-x redline-bring-back offer again what was last rejected
;;   M-x redline-redirect   give the edit at point another instruction
;;   M-x redline-stop       stop the edits of this buffer; C-g does so while one
;;                          is written
;;   M-x redline-review     review the region, the file or a change
;;   M-x redline-fix        offer the fix of the finding at point
;;   M-x redline-dismiss    dismiss the finding at point
;;   M-x redline-report     open the report of a review
;;   M-x redline-cancel-review
;;   M-x redline-plan       plan a change over several files
;;   M-x redline-plans      open the document of a plan
;;   M-x redline-plan-run, redline-plan-apply, redline-plan-again
;;   M-x redline-plan-reject, redline-plan-cancel, redline-plan-take-back
;;   M-x redline-complete-at-point
;;
;; Completions are shown while you type; see `redline-ghost-mode-map'.
;;
;; Findings of reviews are ordinary diagnostics: Flymake goes to them and
;; lists them.  An edit lands as one change; one undo takes it back.  Edits of
;; code actions are shown first, too.  What waits when Emacs ends is offered
;; again when its file is opened with the same text.

;;; Code:

(require 'eglot)
(require 'jsonrpc)
(require 'redline-complete)
(require 'redline-offers)
(require 'redline-plan)
(require 'redline-preview)
(require 'redline-renames)
(require 'url-util)

(defgroup redline nil
  "Edits by a fast model."
  :group 'tools)

(defcustom redline-program '("redline" "serve")
  "The program that serves Redline, and its arguments."
  :type '(repeat string))

(defcustom redline-apply "preview"
  "How an edit enters the buffer."
  :type '(choice (const :tag "Shown first, for you to accept" "preview")
                 (const :tag "When it is complete" "end")))

(defvar redline-history nil
  "Earlier instructions.  Put it into `savehist-additional-variables'.")

(defconst redline--pause 0.4
  "Seconds after which a user who types has paused.")

(defconst redline--patience 2
  "Seconds to wait for what can be completed.")

(defconst redline--longest 3600
  "Seconds to wait for an answer.
The server has limits of its own, which are much shorter.")

(defun redline--run (command arguments on-result &optional server on-failure)
  "Run the server's COMMAND with ARGUMENTS; ON-RESULT gets the result.
SERVER is that of the buffer by default.  Does not wait for the answer.
A failure is shown, unless ON-FAILURE is given, which gets its reason."
  (let ((server (or server (eglot-current-server))))
    (unless server
      (user-error "No language server here: M-x eglot"))
    ;; Eglot would send the last changes only when Emacs is idle.
    (when (eglot-managed-p)
      (eglot--signal-textDocument/didChange))
    (jsonrpc-async-request
     server :workspace/executeCommand
     (list :command (concat "redline." command) :arguments (vector arguments))
     :success-fn on-result
     :error-fn (lambda (problem)
                 (funcall (or on-failure
                              (lambda (reason) (message "Redline: %s" reason)))
                          (plist-get problem :message)))
     :timeout-fn (lambda () (message "Redline: no answer to %s" command))
     :timeout redline--longest)))

(defun redline--uri ()
  "Return the URI of this buffer's file."
  (plist-get (eglot--TextDocumentIdentifier) :uri))

(defun redline--lines (beg end)
  "Return the range of the lines from BEG to END, as the server expects it."
  (let ((first (1- (line-number-at-pos beg t)))
        (last (save-excursion
                (goto-char end)
                (- (line-number-at-pos end t)
                   ;; A region that ends at a line's start leaves that line out.
                   (if (and (bolp) (> end beg)) 1 0)))))
    (list :start (list :line first :character 0)
          ;; On a blank line, new lines.
          :end (list :line (if (= beg end) first (max last (1+ first)))
                     :character 0))))

(defun redline--choices (outcome)
  "Say what the offer of OUTCOME has, and name the keys that answer it."
  (concat (redline--offered (plist-get outcome :sessionId))
          (substitute-command-keys
           "\\<redline-preview-mode-map>\\[redline-accept] to accept, \\[redline-reject] to reject, \\[redline-next-change] for the next change")))

(defun redline--assumed (outcome)
  "Return what the edit of OUTCOME takes for granted, as a line of its own."
  (let ((assumes (plist-get outcome :assumes)))
    (if (seq-empty-p assumes)
        ""
      (concat "\nTaken for granted: " (mapconcat #'identity assumes " ")))))

(defun redline--show-outcome (outcome)
  "Show the OUTCOME of an edit, unless the buffer shows it."
  (pcase (plist-get outcome :outcome)
    ("held"
     (message "Redline: held back: %s %s%s"
              (mapconcat (lambda (check) (plist-get check :message))
                         (plist-get outcome :checks) " ")
              (redline--choices outcome)
              (redline--assumed outcome)))
    ("offered"
     (message "Redline: %s%s" (redline--choices outcome) (redline--assumed outcome)))
    ("superseded" nil)
    (_ (when-let* ((text (plist-get outcome :message)))
         (message "Redline: %s" text)))))

(defun redline--prepare (beg end)
  "Announce to the server that the lines from BEG to END will be edited."
  (when-let* ((server (eglot-current-server)))
    (eglot--signal-textDocument/didChange)
    (jsonrpc-notify server :redline/edit/prepare
                    (list :uri (redline--uri) :range (redline--lines beg end)))))

;;; Instructions

(defun redline--complete ()
  "Complete what the instruction in the minibuffer names at point.
That is `@file', `@file#definition', or `#' and a tier or a model."
  (when-let* ((start (save-excursion
                       (skip-chars-backward "^ \n")
                       (and (memq (char-after) '(?@ ?#)) (point)))))
    (list start (point)
          (if (eq (char-after start) ?#)
              (append '("#fast" "#standard" "#deep") (redline--models))
            (let ((found (redline--nameable
                          (buffer-substring-no-properties (1+ start) (point)))))
              (mapcar #'redline--mention
                      (append (plist-get found :files)
                              (plist-get found :definitions) nil)))))))

(defun redline--models ()
  "Return how an instruction names the models of the settings."
  ;; With the sign, no file is looked for.
  (mapcar (lambda (model) (concat "#" (plist-get model :name)))
          (plist-get (redline--nameable "#") :models)))

(defun redline--nameable (typed)
  "Return the `FilesResult' of what TYPED may name.
The server lists nothing that must not be sent to a model."
  (when-let* ((server (with-current-buffer
                          (window-buffer (minibuffer-selected-window))
                        (eglot-current-server))))
    (condition-case nil
        (jsonrpc-request server :workspace/executeCommand
                         (list :command "redline.files"
                               :arguments (vector (list :typed typed)))
                         :timeout redline--patience)
      (jsonrpc-error nil))))

(defun redline--mention (name)
  "Return how an instruction names NAME."
  (if (or (string-match-p "[][[:space:]@\"'`,;:!?(){}<>|*]" name)
          (string-suffix-p "." name))
      (format "@\"%s\"" name)
    (concat "@" name)))

(defconst redline--request-failed -32803
  "The error of LSP with which the server says why something cannot be sent.")

(defun redline--notes (result)
  "Return the lines that say what RESULT, of `redline.nextPrompt', has."
  (let ((assumes (append (plist-get result :assumes) nil)))
    (when assumes
      (setcar assumes (concat "Taken for granted: " (car assumes))))
    (if-let* ((summary (plist-get result :summary)))
        (cons summary assumes)
      assumes)))

(defun redline--watch (server place)
  "Show below the instruction in the minibuffer what would be sent to a model.
SERVER is asked when the user pauses; PLACE has the arguments of
`redline.nextPrompt' besides the instruction."
  (let* ((buffer (current-buffer))
         (overlay (make-overlay (point-max) (point-max) nil t t))
         (asked nil) (timer nil)
         (show (lambda (text lines)
                 (with-current-buffer buffer
                   (when (and (overlay-buffer overlay)
                              (equal text (minibuffer-contents-no-properties)))
                     (overlay-put overlay 'after-string
                                  (when lines
                                    (concat
                                     ;; The cursor stays in front of it.
                                     (propertize " " 'cursor t)
                                     (propertize (concat "\n" (string-join lines "\n"))
                                                 'face 'shadow))))))))
         (ask (lambda (text)
                (jsonrpc-async-request
                 server :workspace/executeCommand
                 (list :command "redline.nextPrompt"
                       :arguments (vector (append place (list :instruction text))))
                 :success-fn (lambda (result)
                               (funcall show text (redline--notes result)))
                 :error-fn (lambda (problem)
                             (when (eql (plist-get problem :code)
                                        redline--request-failed)
                               (funcall show text
                                        (list (plist-get problem :message)))))))))
    (add-hook 'post-command-hook
              (lambda ()
                (let ((text (minibuffer-contents-no-properties)))
                  (unless (equal text asked)
                    (setq asked text)
                    (when timer (cancel-timer timer))
                    (setq timer (run-with-timer redline--pause nil ask text)))))
              nil t)
    (add-hook 'minibuffer-exit-hook
              (lambda ()
                (when timer (cancel-timer timer))
                (delete-overlay overlay))
              nil t)))

(defun redline--ask (question &optional place)
  "Read an instruction; QUESTION is the prompt.
PLACE is what it is for, as in `redline--watch', if that is known."
  (minibuffer-with-setup-hook
      (let ((server (eglot-current-server)))
        (lambda ()
          (add-hook 'completion-at-point-functions #'redline--complete nil t)
          ;; What is typed may be anywhere in a name.
          (setq-local completion-styles '(basic flex))
          (local-set-key (kbd "TAB") #'completion-at-point)
          (when (and server place)
            (redline--watch server place))))
    (read-from-minibuffer question nil
                          (make-composed-keymap nil minibuffer-local-map)
                          nil 'redline-history)))

(defun redline--here ()
  "Ask the server what an edit at point works on: (BEG END NAME)."
  (let ((server (or (eglot-current-server)
                    (user-error "No language server here: M-x eglot"))))
    (eglot--signal-textDocument/didChange)
    (let* ((target (jsonrpc-request
                    server :workspace/executeCommand
                    (list :command "redline.editTarget"
                          :arguments
                          (vector (list :uri (redline--uri)
                                        :position
                                        (list :line (1- (line-number-at-pos nil t))
                                              :character 0))))))
           (rows (redline--rows (plist-get target :range))))
      (save-excursion
        (save-restriction
          (widen)
          (list (redline--line-start (car rows))
                (redline--line-start (cdr rows))
                (plist-get target :name)))))))

(defun redline--place (beg end n-images)
  "Name the lines from BEG to END, for an instruction about N-IMAGES images."
  (list :uri (redline--uri) :range (redline--lines beg end) :images n-images))

(defun redline--ask-here (n-images)
  "Return the arguments of an edit without a region: (BEG END INSTRUCTION).
The instruction is about N-IMAGES images.  What it works on is marked
meanwhile."
  (pcase-let* ((`(,beg ,end ,name) (redline--here))
               (overlay (make-overlay beg end)))
    (overlay-put overlay 'face 'redline-target)
    (unwind-protect
        (progn
          (redline--prepare beg end)
          (list beg end
                (redline--ask (if name (format "Edit %s: " name) "Edit: ")
                              (redline--place beg end n-images))))
      (delete-overlay overlay))))

;;;###autoload
(defun redline-edit (beg end instruction &optional images)
  "Carry out INSTRUCTION on the lines from BEG to END.
IMAGES are the URIs of images that it is about.
Interactively, on the region; without one, on the definition at
point, outside of any on this line, on a blank line on new lines.
`#fast', `#standard' or `#deep' in INSTRUCTION chooses the tier, and
`#' with the name of a configured model that model."
  (interactive (redline--ask-where 0))
  (deactivate-mark)
  (redline--run "edit"
                (append (list :uri (redline--uri)
                              :range (redline--lines beg end)
                              :apply redline-apply
                              :instruction instruction)
                        (when images
                          (list :attachments (vconcat images))))
                #'redline--show-outcome))

(defun redline--ask-where (n-images)
  "Ask for an instruction; return the lines that it is for, and the instruction.
It is about N-IMAGES images."
  (if (not (use-region-p))
      (redline--ask-here n-images)
    (let ((beg (region-beginning)) (end (region-end)))
      (redline--prepare beg end)
      (list beg end (redline--ask "Edit: " (redline--place beg end n-images))))))

(defun redline--file-uri (file)
  "Return the URI of FILE."
  (let ((path (expand-file-name file)))
    (concat "file://" (unless (string-prefix-p "/" path) "/")
            (url-hexify-string path url-path-allowed-chars))))

;;;###autoload
(defun redline-edit-by-image (image beg end instruction)
  "Carry out INSTRUCTION, which is about the file IMAGE, on BEG to END.
Interactively, on the lines that `redline-edit' chooses.  A png, jpeg,
webp or gif is sent to a model that reads images."
  (interactive (cons (read-file-name "Image: " nil nil t) (redline--ask-where 1)))
  (redline-edit beg end instruction (list (redline--file-uri image))))

(defun redline--answer (command session change on-result)
  "Run COMMAND on SESSION, or only on the hunk of CHANGE.
ON-RESULT is as in `redline--run'."
  (redline--run command
                (append (list :sessionId (redline--session-id session))
                        (when change
                          (list :hunks
                                (vector (overlay-get change 'redline-hunk)))))
                on-result))

(defun redline--accept (session change)
  "Accept SESSION, or only its CHANGE."
  (redline--expect session change)
  (redline--answer "accept" session change #'ignore))

(defun redline--reject (session change)
  "Reject SESSION, or only its CHANGE."
  (redline--answer "reject" session change
                   (lambda (result)
                     (when (zerop (plist-get result :remaining))
                       (message "Redline: rejected; M-x redline-bring-back restores it")))))

;;;###autoload
(defun redline-accept ()
  "Accept the edit at point."
  (interactive)
  (redline--accept (redline--session-here) nil))

;;;###autoload
(defun redline-reject ()
  "Reject the edit at point."
  (interactive)
  (redline--reject (redline--session-here) nil))

;;;###autoload
(defun redline-accept-change ()
  "Accept the change nearest to point."
  (interactive)
  (redline--accept (redline--session-here) (redline--nearest-change)))

;;;###autoload
(defun redline-reject-change ()
  "Reject the change nearest to point."
  (interactive)
  (redline--reject (redline--session-here) (redline--nearest-change)))

;;;###autoload
(defun redline-bring-back ()
  "Offer again what was last rejected or dropped in this buffer."
  (interactive)
  (redline--run "bringBack" (list :uri (redline--uri)) #'redline--show-outcome))

;;;###autoload
(defun redline-redirect (instruction)
  "Give the edit at point another INSTRUCTION, while it is written or shown."
  (interactive (list (redline--ask "Instead: ")))
  (redline--run "redirect"
                (list :uri (redline--uri)
                      :position (list :line (1- (line-number-at-pos nil t))
                                      :character 0)
                      :instruction instruction)
                (lambda (result)
                  (unless (eq (plist-get result :accepted) t)
                    (message "Redline: the edit was over already")))))

;;;###autoload
(defun redline-stop ()
  "Stop the edits of this buffer."
  (interactive)
  (redline--run "stop" (list :uri (redline--uri))
                (lambda (result)
                  (when (seq-empty-p (plist-get result :stopped))
                    (message "Redline: no edit is running")))))

;;;###autoload
(defun redline-quit ()
  "Stop the edits that are being written in this buffer; without any, quit."
  (interactive)
  (let ((written (seq-filter #'redline--is-written redline--sessions)))
    (unless written
      (keyboard-quit))
    (dolist (session written)
      (redline--run "stop" (list :sessionId (redline--session-id session)) #'ignore))))

;;; Code actions

(defun redline--carry-out (server command arguments)
  "Run COMMAND of SERVER with ARGUMENTS, which is the work of a code action.
Does not wait.  An edit or a fix is shown before it is applied, and tests are
opened."
  (let ((given (elt arguments 0)))
    (pcase command
      ("redline.edit"
       (redline--run "edit" (append given (list :apply redline-apply))
                     #'redline--show-outcome server))
      ("redline.applyFix" (redline--fix server given))
      ("redline.writeTests"
       (redline--run "writeTests" given
                     (lambda (result)
                       ;; A new file is in a buffer only.
                       (pop-to-buffer (find-buffer-visiting
                                       (redline--path (plist-get result :uri)))))
                     server))
      (_ (redline--run (string-remove-prefix "redline." command) given
                       #'ignore server)))))

(cl-defmethod eglot-execute :around ((server redline-server) action)
  "Run the command of ACTION, or of SERVER's other code actions as Eglot does."
  (let ((command (plist-get action :command)))
    (if (stringp command)
        (redline--carry-out server command (plist-get action :arguments))
      (cl-call-next-method))))

;; Before Emacs 30.
(with-suppressed-warnings ((obsolete eglot-execute-command))
  (cl-defmethod eglot-execute-command ((server redline-server) command arguments)
    "Run COMMAND of SERVER with ARGUMENTS."
    (redline--carry-out server (format "%s" command) arguments)))

;;; Deep reviews

(defconst redline--changes
  '(("file" . nil) ("worktree" . "workingTree") ("staged" . "staged"))
  "Changes that can be reviewed, besides the commits since a base.")

;;;###autoload
(defun redline-review (beg end &optional change force)
  "Review the lines from BEG to END in the background.
Interactively, review the region, or without one this file.  With a
prefix argument, ask what to review: CHANGE is \"workingTree\", the
changes since the last commit; \"staged\"; or a base and two dots
such as \"main..\", the changes of the commits since then.  With two
prefix arguments, FORCE a review of what has not changed since its
last one."
  (interactive
   (let ((range (if (use-region-p)
                    (list (region-beginning) (region-end))
                  (list nil nil)))
         (what (and current-prefix-arg
                    (completing-read "Review (or a base such as main..): "
                                     redline--changes nil nil nil nil "file"))))
     (append range
             (list (if-let* ((known (assoc what redline--changes)))
                       (cdr known)
                     what)
                   (equal current-prefix-arg '(16))))))
  (let ((arguments (list :uri (redline--uri))))
    (cond (change (setq arguments (append arguments (list :change change))))
          (beg (setq arguments (append arguments
                                       (list :range (redline--lines beg end))))))
    (when force
      (setq arguments (append arguments (list :force t))))
    (deactivate-mark)
    (redline--run "deepReview" arguments
                  (lambda (_) (message "Redline: the review has begun")))))

(defun redline--is-at (finding uri line)
  "Whether FINDING is open and at LINE, counted from 0, of the file URI."
  (let ((range (plist-get finding :range)))
    (and (equal (plist-get finding :state) "open")
         (equal (plist-get finding :uri) uri)
         (<= (plist-get (plist-get range :start) :line)
             line
             (plist-get (plist-get range :end) :line)))))

(defun redline--choose (prompt things name)
  "Return one of THINGS; ask with PROMPT if there are several, shown by NAME."
  (if (cdr things)
      (let ((named (mapcar (lambda (each) (cons (funcall name each) each)) things)))
        (cdr (assoc (completing-read prompt named nil t) named)))
    (car things)))

(defun redline--with-finding (run)
  "Call RUN with the finding at point; the user chooses one of several."
  (let ((uri (redline--uri))
        (line (1- (line-number-at-pos nil t)))
        (buffer (current-buffer)))
    (redline--run
     "reviews" (make-hash-table)
     (lambda (listed)
       (let ((here (seq-filter (lambda (each) (redline--is-at each uri line))
                               (plist-get listed :findings))))
         (if (null here)
             (message "Redline: no finding at point; Flymake lists all")
           (with-current-buffer buffer
             (funcall run (redline--choose "Finding: " here
                                           (lambda (each)
                                             (plist-get each :title)))))))))))

;;;###autoload
(defun redline-fix (&optional all)
  "Offer the fix of the finding at point.
With a prefix argument, offer ALL fixes of its review."
  (interactive "P")
  (redline--with-finding
   (lambda (finding)
     (redline--fix (eglot-current-server)
                   (if all (list :reviewId (plist-get finding :reviewId))
                     (list :findingId (plist-get finding :id)))))))

(defun redline--fix (server arguments)
  "Have SERVER fix the finding or the review of ARGUMENTS, by `redline-apply'."
  (if (equal redline-apply "preview")
      (redline--run
       "reviews" (make-hash-table)
       (lambda (listed)
         (let ((findings (seq-filter (lambda (each)
                                       (redline--is-to-fix each arguments))
                                     (plist-get listed :findings))))
           (if (plist-get arguments :findingId)
               (dolist (each findings)
                 (redline--offer-fix server each #'redline--show-outcome))
             (redline--offer-fixes server findings 0 nil))))
       server)
    (redline--run "applyFix" arguments
                  (lambda (result)
                    (redline--show-fixes
                     (format "%d fixed" (length (plist-get result :applied)))
                     (mapcar (lambda (each) (plist-get each :message))
                             (plist-get result :refused))))
                  server)))

(defun redline--is-to-fix (finding arguments)
  "Whether FINDING is the one that ARGUMENTS names, or has a fix in their review."
  (and (equal (plist-get finding :state) "open")
       (if-let* ((id (plist-get arguments :findingId)))
           (equal (plist-get finding :id) id)
         (and (plist-get finding :fix)
              (equal (plist-get finding :reviewId) (plist-get arguments :reviewId))))))

;; The server offers one fix at a time.
(defun redline--offer-fix (server finding on-outcome)
  "Have SERVER offer the fix of FINDING in its file; ON-OUTCOME gets the outcome."
  (with-current-buffer
      (find-file-noselect (redline--path (plist-get finding :uri)))
    ;; Eglot would announce a new buffer to the server only after this command.
    (unless (eglot-managed-p)
      (eglot--maybe-activate-editing-mode))
    (redline--run "applyFix"
                  (list :findingId (plist-get finding :id) :apply "preview")
                  (lambda (result)
                    (funcall on-outcome (plist-get result :offered)))
                  server
                  (lambda (reason)
                    (funcall on-outcome (list :outcome "failed" :message reason))))))

(defun redline--offer-fixes (server findings n-offered reasons)
  "Have SERVER offer the fixes of FINDINGS, one after the other.
N-OFFERED have been offered, and others not, for these REASONS."
  (if findings
      (redline--offer-fix
       server (car findings)
       (lambda (outcome)
         (let ((is-offered (equal (plist-get outcome :outcome) "offered")))
           (redline--offer-fixes
            server (cdr findings)
            (if is-offered (1+ n-offered) n-offered)
            (if is-offered reasons
              (append reasons (list (plist-get outcome :message))))))))
    (redline--show-fixes
     (format "%d %s offered" n-offered (if (= n-offered 1) "fix is" "fixes are"))
     reasons)))

(defun redline--show-fixes (done reasons)
  "Say what is DONE, and the REASONS why some fixes are not."
  (message "Redline: %s"
           (string-join (cons done (remq nil reasons)) "; ")))

;;;###autoload
(defun redline-dismiss (reason)
  "Dismiss the finding at point, for a REASON that may be empty."
  (interactive (list (read-string "Why (may be empty): ")))
  (redline--with-finding
   (lambda (finding)
     (redline--run "dismiss"
                   (append (list :findingId (plist-get finding :id))
                           (unless (string-blank-p reason) (list :reason reason)))
                   (lambda (_)
                     (message "Redline: dismissed: %s"
                              (plist-get finding :title)))))))

(defun redline--with-review (prompt is-wanted run)
  "Call RUN with the id of a review; ask with PROMPT if several are IS-WANTED."
  (let ((buffer (current-buffer)))
    (redline--run
     "reviews" (make-hash-table)
     (lambda (listed)
       (let ((reviews (nreverse (seq-filter is-wanted (plist-get listed :reviews)))))
         (if (null reviews)
             (message "Redline: there is no such review")
           (with-current-buffer buffer
             (funcall
              run
              (plist-get (redline--choose prompt reviews #'redline--review-name)
                         :reviewId)))))))))

(defun redline--review-name (review)
  "Name a REVIEW, as a line of a list."
  (format "%s  %s: %s%s, %d findings"
          (format-time-string "%F %T" (plist-get review :createdAt))
          (plist-get review :scope)
          (plist-get review :state)
          (if (eq (plist-get review :partial) t) ", not complete" "")
          (plist-get review :findings)))

;;;###autoload
(defun redline-report ()
  "Open the report of a review; the user chooses one of several."
  (interactive)
  (redline--with-review
   "Report of: " #'identity
   (lambda (id)
     (redline--run "openReport" (list :reviewId id) #'redline--open))))

(defun redline--open (report)
  "Open a REPORT or plan that Eglot has not shown by itself, as before Emacs 30."
  (unless (eq (plist-get report :shown) t)
    (pop-to-buffer
     (find-file-noselect (redline--path (plist-get report :uri))))))

;;;###autoload
(defun redline-cancel-review ()
  "Cancel a running review; its findings stay."
  (interactive)
  (redline--with-review
   "Cancel: "
   (lambda (review)
     (not (member (plist-get review :state) '("done" "cancelled" "failed"))))
   (lambda (id)
     (redline--run "cancelReview" (list :reviewId id)
                   (lambda (_) (message "Redline: the review is cancelled"))))))

;;;###autoload
(defun redline-setup (&rest modes)
  "Make Eglot start Redline in MODES, such as `python-mode'."
  (dolist (mode modes)
    (add-to-list 'eglot-server-programs
                 (cons mode (cons 'redline-server redline-program)))))

(provide 'redline)
;;; redline.el ends here
